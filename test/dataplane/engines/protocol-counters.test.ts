import { constants } from 'node:http2'
import { expect } from 'chai'
import type { EngineFactory } from '../../../src/dataplane/engine.ts'
import { createStandardEngine } from '../../../src/dataplane/engines/standard/server.ts'
import type { BackendProtocol } from '../../../src/model/upstream-tls.ts'
import { type BenchOptions, EngineBench, request } from '../../contract/engine/bench.ts'
import { identity, ORIGIN_NAME, PROTOCOLS } from '../../contract/engine/protocol-bench.ts'
import { type KeyPair, makeCertificate } from '../../fakes/certificates.ts'
import { type OriginHandler, ProtocolOrigin } from '../../fakes/protocol-origin.ts'
import { WIRE_ENGINES } from '../../fakes/wire-engines.ts'

interface Event {
  readonly title: string
  readonly protocols: readonly BackendProtocol[]
  readonly options?: BenchOptions
  /** A handler for a new origin. */
  readonly handler: () => OriginHandler
  readonly bytes: string
  /** Closes the response, whatever it is. */
  readonly end: string
}

const POST = request(
  'POST',
  '/',
  ['Transfer-Encoding: chunked', 'Connection: close'],
  '3\r\nabc\r\n0\r\nx-a: 1\r\n\r\n',
)
const GET = request('GET', '/', ['Connection: close'])
const TLS: readonly BackendProtocol[] = ['https', 'h2']
const HTTP2: readonly BackendProtocol[] = ['h2c', 'h2']

const EVENTS: readonly Event[] = [
  { title: 'an answer', protocols: PROTOCOLS, handler: () => echo, bytes: GET, end: '\r\n\r\n' },
  { title: 'a body and trailers', protocols: PROTOCOLS, handler: () => echo, bytes: POST, end: 'x-came: 1\r\n\r\n' },
  {
    title: 'a stream that was left aside once',
    protocols: HTTP2,
    handler: () => refusing(1),
    bytes: POST,
    end: 'x-came: 1\r\n\r\n',
  },
  {
    title: 'a stream that is always left aside',
    protocols: HTTP2,
    handler: () => refusing(Number.POSITIVE_INFINITY),
    bytes: POST,
    end: '\n502',
  },
  {
    title: 'an upstream that breaks off',
    protocols: PROTOCOLS,
    handler: () => (_incoming, response) => {
      if ('stream' in response) response.stream.close(constants.NGHTTP2_INTERNAL_ERROR)
      else response.destroy()
    },
    bytes: POST,
    end: '\n502',
  },
  {
    title: 'a peer that cannot be trusted',
    protocols: TLS,
    options: { backend: { tls: identity({ cert: '', key: '' }) } },
    handler: () => echo,
    bytes: GET,
    end: '\n502',
  },
  {
    title: 'nobody who listens',
    protocols: PROTOCOLS,
    options: { endpoints: ['127.0.0.1:1'] },
    handler: () => echo,
    bytes: GET,
    end: '\n502',
  },
]

describe('R20-181: both engines count the same towards backends', () => {
  let pair: KeyPair

  before(() => {
    pair = makeCertificate([ORIGIN_NAME])
  })

  async function countsOf(
    makeEngine: EngineFactory,
    protocol: BackendProtocol,
    { options = {}, handler, bytes, end }: Event,
  ): Promise<Readonly<Record<string, number>>> {
    const origin = await ProtocolOrigin.start(protocol, { pair })
    origin.handler = handler()
    const backend = { protocol, ...(protocol !== 'h2c' && { tls: identity(pair) }), ...options.backend }
    const bench = await EngineBench.start(makeEngine, { endpoints: [origin.address], ...options, backend })
    try {
      const client = await bench.send(bytes)
      await client.until(end)
      client.end()
      await client.untilClosed()
      await bench.quiet()
      return Object.fromEntries(bench.counters.all())
    } finally {
      bench.stop()
      origin.stop()
    }
  }

  for (const event of EVENTS) {
    for (const protocol of event.protocols) {
      it(`${event.title}, by ${protocol}`, async () => {
        const standard = await countsOf(createStandardEngine, protocol, event)
        expect(standard['requests']).to.equal(1)
        for (const makeEngine of WIRE_ENGINES.values()) {
          expect(await countsOf(makeEngine, protocol, event)).to.deep.equal(standard)
        }
      })
    }
  }
})

function echo(...[incoming, response]: Parameters<OriginHandler>): void {
  incoming.resume()
  incoming.on('end', () => {
    response.addTrailers({ 'x-came': String(incoming.trailers['x-a']) })
    // In two parts, so that Node gives it no length: trailers stand behind chunks alone.
    if ('stream' in response) response.write('o')
    else response.write('o')
    response.end('k')
  })
}

function refusing(times: number): OriginHandler {
  let left = times
  return (incoming, response) => {
    left -= 1
    if (left < 0 || !('stream' in response)) echo(incoming, response)
    else response.stream.close(constants.NGHTTP2_REFUSED_STREAM)
  }
}
