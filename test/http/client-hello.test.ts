import { expect } from 'chai'
import * as fc from 'fast-check'
import { type ClientHelloParse, parseClientHello } from '../../src/http/client-hello.ts'
import { helloOf, helloWith, spreadOver } from '../builders/client-hello.ts'
import { bytesOf } from './bytes.ts'

/** Extensions that stand for none (RFC 8701), and an encrypted ClientHello within the one that is read. */
const GREASE = '\x0a\x0a\0\0\xfa\xfa\0\x01\0'
const ECH = '\xfe\x0d\0\x05\0\0\x01\0\x01'

describe('parseClientHello', () => {
  it('reads what a real client sends, cut at every byte', async () => {
    const bytes = await helloOf({ servername: 'shop.example', ALPNProtocols: ['h2', 'http/1.1'] })
    const hello = { serverName: 'shop.example', protocols: ['h2', 'http/1.1'] }
    expect(parseClientHello(bytes, 0, bytes.length)).to.deep.equal({ kind: 'done', hello })
    for (let to = 0; to < bytes.length; to += 1) {
      expect(parseClientHello(bytes, 0, to), `${to} bytes`).to.deep.equal({ kind: 'need-more' })
    }
  })

  it('says what the client left out', async () => {
    const bytes = await helloOf({})
    const hello = { serverName: undefined, protocols: [] }
    expect(parseClientHello(bytes, 0, bytes.length)).to.deep.equal({ kind: 'done', hello })
  })

  it('reads one that is spread over records of any size', async () => {
    const bytes = await helloOf({ servername: 'shop.example', ALPNProtocols: ['h2'] })
    const message = bytes.subarray(5)
    for (const size of [1, 2, 3, 4, 5, 7, 100]) {
      const spread = spreadOver(message, size)
      const parsed = parseClientHello(spread, 0, spread.length)
      expect(parsed).to.deep.include({ hello: { serverName: 'shop.example', protocols: ['h2'] } })
      expect(parseClientHello(spread, 0, spread.length - 1).kind).to.equal('need-more')
    }
  })

  const rows: readonly (readonly [title: string, bytes: string, outcome: ClientHelloParse])[] = [
    ['plaintext', 'GET / HTTP/1.1\r\n', { kind: 'not-tls' }],
    ['SSL 2', '\x80\x2e\x01\x03\x01', { kind: 'not-tls' }],
    ['another major version', '\x16\x02\x00', { kind: 'not-tls' }],
    ['an alert', '\x15\x03\x01\0\x02\x02\x28', { kind: 'not-tls' }],
    ['another message', '\x16\x03\x01\0\x04\x02\0\0\0', { kind: 'invalid', fault: 'Malformed' }],
    ['an empty record', '\x16\x03\x01\0\0', { kind: 'invalid', fault: 'Malformed' }],
    ['R20-76 a message above 16 KiB', '\x16\x03\x01\x40\0\x01\0\x40\0', { kind: 'invalid', fault: 'TooLong' }],
    ['an extension that is longer than they all', helloWith('\0\0\0\x09\0'), { kind: 'invalid', fault: 'Malformed' }],
    ['half an extension', helloWith('\0\0\0'), { kind: 'invalid', fault: 'Malformed' }],
    ['no name in the extension', helloWith('\0\0\0\0'), { kind: 'invalid', fault: 'Malformed' }],
    ['a name that is too long', helloWith('\0\0\0\x05\0\x03\0\0\x09'), { kind: 'invalid', fault: 'Malformed' }],
    ['bytes behind the extensions', helloWith('', 'x'), { kind: 'invalid', fault: 'Malformed' }],
    ['no extensions at all', helloWith(undefined), done(undefined)],
    ['an empty name', helloWith('\0\0\0\x05\0\x03\0\0\0'), done('')],
    ['a name with NUL', helloWith('\0\0\0\x08\0\x06\0\0\x03a\0b'), done('a\0b')],
    ['what nobody knows, as browsers send it', helloWith(`${GREASE}\0\0\0\x08\0\x06\0\0\x03a.b${ECH}`), done('a.b')],
    ['a name of another kind', helloWith('\0\0\0\x08\0\x06\x01\0\x03abc'), done(undefined)],
  ]
  for (const [title, text, outcome] of rows) {
    it(`judges ${title}`, () => expect(parseClientHello(bytesOf(text), 0, text.length)).to.deep.equal(outcome))
  }

  it('R20-76 takes no more than 16 KiB, however small the records are', () => {
    const message = bytesOf(`\x01\0\x30\0${'\0'.repeat(12_288)}`)
    const spread = spreadOver(message, 1)
    const at = 16 * 1024
    expect(parseClientHello(spread, 0, at - 1).kind).to.equal('need-more')
    expect(parseClientHello(spread, 0, at)).to.deep.equal({ kind: 'invalid', fault: 'TooLong' })
    expect(parseClientHello(spread, 0, spread.length)).to.deep.equal({ kind: 'invalid', fault: 'TooLong' })
  })

  it('throws at nothing', () => {
    const edits = fc.array(fc.tuple(fc.nat(200), fc.nat(255)), { maxLength: 5 })
    const good = bytesOf(helloWith('\0\0\0\x08\0\x06\0\0\x03abc\0\x10\0\x05\0\x03\x02h2'))
    fc.assert(
      fc.property(edits, fc.nat(200), (changes, length) => {
        const bytes = good.slice(0, length)
        for (const [at, byte] of changes) if (at < bytes.length) bytes[at] = byte
        expect(parseClientHello(bytes, 0, bytes.length).kind).to.be.a('string')
      }),
    )
  })
})

function done(serverName: string | undefined): ClientHelloParse {
  return { kind: 'done', hello: { serverName, protocols: [] } }
}
