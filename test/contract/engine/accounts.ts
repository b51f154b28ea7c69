import { expect } from 'chai'
import * as fc from 'fast-check'
import type { StartBench } from '../engine.ts'
import { HOST, request } from './bench.ts'

const UPGRADE = ['Connection: Upgrade', 'Upgrade: websocket']

const REQUESTS = [
  request('GET', '/'),
  request('GET', '/', ['Connection: close']),
  request('HEAD', '/'),
  request('POST', '/', ['Content-Length: 3'], 'abc'),
  request('PUT', '/', ['Transfer-Encoding: chunked'], '3\r\nabc\r\n0\r\nX: y\r\n\r\n'),
  request('POST', '/', ['Expect: 100-continue', 'Content-Length: 3'], 'abc'),
  request('GET', '/', UPGRADE),
  request('POST', '/', [...UPGRADE, 'Content-Length: 3'], 'abc'),
  request('TRACE', '/'),
  `GET / HTTP/1.0\r\nHost: ${HOST}\r\nConnection: keep-alive\r\n\r\n`,
  'CONNECT a.example:1 HTTP/1.1\r\nHost: a.example:1\r\n\r\n',
  'POST / HTTP/1.1\r\nHost: nobody.example\r\nContent-Length: 300000\r\n\r\nabc',
] as const

const RESPONSES = [
  'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok',
  'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX: y\r\n\r\n',
  'HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort',
  'HTTP/1.1 200 OK\r\n\r\nuntil the close',
  'HTTP/1.1 204 No Content\r\n\r\n',
  'HTTP/1.1 100 Continue\r\n\r\n',
  'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\nhello',
  'no HTTP at all',
  '',
] as const

interface Session {
  readonly requests: readonly string[]
  /** Where the client's bytes are cut in two, from 0 to 1, and a byte that takes the place of another. */
  readonly cut: number
  readonly fault: { readonly at: number; readonly byte: number } | undefined
  readonly response: string
  readonly upstreamEnds: boolean
  readonly clientEnds: 'fin' | 'reset'
}

const SESSIONS: fc.Arbitrary<Session> = fc.record({
  requests: fc.array(fc.constantFrom(...REQUESTS), { minLength: 1, maxLength: 3 }),
  cut: fc.double({ min: 0, max: 1, noNaN: true }),
  fault: fc.option(fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.nat(255) }), {
    nil: undefined,
  }),
  response: fc.constantFrom(...RESPONSES),
  upstreamEnds: fc.boolean(),
  clientEnds: fc.constantFrom('fin', 'reset'),
})

/** Every count that goes up comes down again, whatever happens (R00-15, R00-16). */
export function accountCases(start: StartBench): void {
  it('are even after any session, and nothing is left open', async function () {
    this.timeout(60_000)
    const bench = await start()
    const { counters, holds } = bench
    await fc.assert(
      fc.asyncProperty(SESSIONS, async (session) => {
        bench.upstream.answerWith((_head, connection) => {
          connection.write(session.response)
          if (session.upstreamEnds) connection.end()
        })
        const bytes = bytesOf(session)
        const client = await bench.sendCut(bytes, Math.floor(session.cut * bytes.length))
        if (session.clientEnds === 'reset') client.reset()
        else client.end()
        // Time passes until every deadline has done its part.
        await bench.when(() => {
          bench.clock.advance(10_000)
          const { connections, requests, tunnels } = bench.engine.load()
          return connections + requests + tunnels === 0
        })
        client.socket.destroy()
        expect(counters.process('requestsInFlight')).to.equal(0)
        expect(counters.process('tunnels')).to.equal(0)
        expect([counters.inFlight(0), counters.inFlight(1)]).to.deep.equal([0, 0])
        expect(holds.open).to.equal(0)
      }),
      { numRuns: 150 },
    )
  })
}

function bytesOf({ requests, fault }: Session): string {
  const bytes = requests.join('')
  if (!fault) return bytes
  const at = Math.floor(fault.at * bytes.length)
  return bytes.slice(0, at) + String.fromCharCode(fault.byte) + bytes.slice(at + 1)
}
