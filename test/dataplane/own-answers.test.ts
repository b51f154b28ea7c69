import { expect } from 'chai'
import { type AnswerName, answerBytes, headBytes, ownAnswer } from '../../src/dataplane/own-answers.ts'
import { grpcStatusOf } from '../../src/http/grpc.ts'

const STATUS: Readonly<Record<AnswerName, readonly [status: number, closes: boolean]>> = {
  malformed: [400, true],
  'plaintext-to-tls': [400, true],
  'no-route': [404, false],
  'method-not-allowed': [405, false],
  'connect-refused': [405, true],
  'head-too-slow': [408, true],
  'body-too-slow': [408, true],
  'body-too-large': [413, true],
  'target-too-long': [414, true],
  'head-too-large': [431, true],
  'too-many-fields': [431, true],
  'coding-not-implemented': [501, true],
  'protocol-not-implemented': [501, false],
  misdirected: [421, true],
  'no-connection': [502, false],
  'upstream-fault': [502, false],
  'grpc-needs-http2': [502, false],
  'no-endpoint': [503, false],
  'over-budget': [503, false],
  'unresolved-service': [503, false],
  'unsupported-backend': [503, false],
  'external-name': [503, false],
  'access-rule': [503, false],
  'connect-timeout': [504, false],
  'response-timeout': [504, false],
  'version-not-supported': [505, true],
}

describe('ownAnswer (R20-61 to R20-72)', () => {
  for (const [name, [status, closes]] of Object.entries(STATUS) as [AnswerName, readonly [number, boolean]][]) {
    it(`${name} is ${status}${closes ? ' and closes' : ''}, one line that names no version of ours`, () => {
      const answer = ownAnswer(name)
      expect(answer.status).to.equal(status)
      expect(answer.closes).to.equal(closes)
      expect(answer.body.toString()).to.match(new RegExp(`^${status} ${answer.reason}: [a-z][^\\n]*[.s]\\n$`))
      expect(answer.body.toString()).to.not.match(/ramjet|node/i)
    })

    it(`R22-25: ${name} ${name === 'grpc-needs-http2' ? 'says' : 'says nothing of'} what an engine does not serve`, () => {
      const names = ownAnswer(name).fields.map((field) => field.toLowerCase())
      expect(names.includes('x-ramjet-unsupported')).to.equal(name === 'grpc-needs-http2')
    })

    it(`R22-26: ${name} is trailers-only for gRPC, and closes the same`, () => {
      const answer = ownAnswer(name, 'grpc')
      expect(answer.closes).to.equal(closes)
      if (name === 'grpc-needs-http2') {
        expect(answer).to.deep.equal(ownAnswer(name))
        return
      }
      expect(answer.status).to.equal(200)
      expect(answer.body).to.have.length(0)
      const text = ownAnswer(name).body.toString().trimEnd()
      expect(answer.fields.slice(0, 6).join()).to.equal('Server,ramjet,Content-Type,application/grpc,Content-Length,0')
      expect(answer.fields.slice(6)).to.deep.equal(['grpc-status', `${grpcStatusOf(status)}`, 'grpc-message', text])
    })
  }
})

describe('answerBytes', () => {
  it('is a whole message', () => {
    const bytes = answerBytes(ownAnswer('no-endpoint'), { closes: true, clientMinorVersion: 1, date: 'now' })
    expect(bytes.toString('latin1').split('\r\n')).to.deep.equal([
      'HTTP/1.1 503 Service Unavailable',
      'Server: ramjet',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Length: 68',
      'Retry-After: 1',
      'Connection: close',
      'Date: now',
      '',
      '503 Service Unavailable: the service has no endpoint at the moment.\n',
    ])
  })
})

describe('headBytes (R20-47)', () => {
  it('leaves out what could split the message', () => {
    const bytes = headBytes(101, 'a\r\nb', ['X', 'a\r\nY: b', 'X\r\n', 'a', 'Z', 'caf\xe9'])
    expect(bytes.toString('latin1')).to.equal('HTTP/1.1 101 \r\nZ: caf\xe9\r\n\r\n')
  })
})
