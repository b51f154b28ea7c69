import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { globSync, readFileSync } from 'node:fs'
import { expect } from 'chai'
import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import { EngineBench, fieldOf, request } from '../../contract/engine/bench.ts'
import { engineContract } from '../../contract/engine.ts'

engineContract('standard engine', createStandardEngine)

describe('a flood of requests on one connection', () => {
  const PARSED = 'http.server.request.start'
  const SENT = 1000
  let parsed = 0
  const count = (): void => {
    parsed += 1
  }
  beforeEach(() => {
    parsed = 0
    subscribe(PARSED, count)
  })
  afterEach(() => unsubscribe(PARSED, count))

  it('is held to the few that may wait, however many come in one read (R20-57)', async () => {
    const bench = await EngineBench.start(createStandardEngine, { limits: { maxPipelined: 3 } })
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const client = await bench.send(request('GET', '/').repeat(50))
    const text = await client.untilEnd()
    expect(text.match(/200 OK/g)).to.have.length(4)
    expect(fieldOf(text.slice(text.lastIndexOf('HTTP/1.1')), 'Connection')).to.equal('close')
    bench.stop()
  })

  it('is parsed no further once its last answer is out: a request costs a hundred times its bytes (R71-4)', async () => {
    const bench = await EngineBench.start(createStandardEngine, { limits: { maxPipelined: 3 } })
    bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const client = await bench.send(request('GET', '/', [`X-Padding: ${'a'.repeat(150)}`]).repeat(SENT))
    await client.untilEnd()
    client.end()
    await bench.quiet()
    bench.stop()
    // What stood in the first read, at most 64 KiB, was parsed at once.
    expect(parsed).to.be.within(4, SENT / 2)
  })
})

describe('sources of the data plane', () => {
  const sources = globSync('src/dataplane/**/*.ts').map((file) => ({ file, text: readFileSync(file, 'utf8') }))

  for (const { word, why } of [
    { word: 'insecureHTTPParser', why: 'R70-58: no lenient parser' },
    { word: 'httpValidation', why: 'R70-58: no lenient parser' },
    { word: 'headersDistinct', why: 'R70-73: raw header lists alone' },
    { word: '.pipe(', why: 'R70-128: pipe passes on neither errors nor destruction' },
  ]) {
    it(`never say ${word} (${why})`, () => {
      expect(sources.length).to.be.above(20)
      expect(sources.filter(({ text }) => text.includes(word)).map(({ file }) => file)).to.deep.equal([])
    })
  }
})
