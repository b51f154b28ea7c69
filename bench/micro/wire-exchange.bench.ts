// What one request costs in JavaScript alone: the wire engine between two connections that live in memory, so that no
// system call and no event loop is in the figure. `node bench/micro/wire-exchange.bench.ts`; with one route and with
// 10,000 of them for R60-31, and without the counters of routes and endpoints for R60-44.
import { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { bench, group, run } from 'mitata'
import { CheckVerdicts } from '../../src/dataplane/check-verdicts.ts'
import { CounterColumn } from '../../src/dataplane/counter-column.ts'
import { allocateCounterMemory, allocateSegment } from '../../src/dataplane/counter-layout.ts'
import type { Engine, ServedPair } from '../../src/dataplane/engine.ts'
import { createWireEngine } from '../../src/dataplane/engines/wire/server.ts'
import { HeldPairs } from '../../src/dataplane/held-pairs.ts'
import type { Transport } from '../../src/dataplane/transport/transport.ts'
import { createRandom } from '../../src/lib/random.ts'
import { ENGINE_SETTINGS } from '../../test/builders/engine-settings.ts'
import { backend, endpoint, endpointTable, prefix, routeTable, virtualHost } from '../../test/builders/route-table.ts'
import { servedPairOf } from '../../test/builders/served-pair.ts'
import { MemoryConnection } from './memory-connection.ts'

const REQUEST_LINE = 'GET /api/17/cart?a=1 HTTP/1.1\r\nHost: shop.example\r\n'
const MINIMAL = `${REQUEST_LINE}\r\n`
const BROWSER = [
  `${REQUEST_LINE}User-Agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0`,
  'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'Accept-Language: en-GB,en;q=0.9,de;q=0.8',
  'Accept-Encoding: gzip, deflate, br, zstd',
  'Cache-Control: max-age=0',
  'Sec-Fetch-Dest: document',
  'Sec-Fetch-Mode: navigate',
  'Referer: http://shop.example/catalogue/shoes?page=3',
  'Cookie: session=9f2c4b6e0d1a47c28f3355aa01be7d90; theme=dark; consent=all',
  '\r\n',
].join('\r\n')
const HEADS = { minimal: MINIMAL, 'as a browser sends it': BROWSER }
const ANSWER = Buffer.from(
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 128\r\n\r\n${'x'.repeat(128)}`,
)
const ADDRESS = '192.0.2.10:80'
const BACKEND = 'shop/web:80'

interface Case {
  readonly routes: number
  readonly counts: boolean
}

const CASES: readonly Case[] = [
  { routes: 1, counts: true },
  { routes: 10_000, counts: true },
  { routes: 1, counts: false },
]

async function main(): Promise<void> {
  const engines: Engine[] = []
  for (const [name, text] of Object.entries(HEADS)) {
    const request = Buffer.from(text)
    group(`a request and its answer of 128 bytes; head ${name}`, () => {
      for (const { routes, counts } of CASES) {
        const { engine, exchange } = serve(servedPair(routes, counts))
        engines.push(engine)
        bench(`${routes} routes, ${counts ? 'counted' : 'not counted'}`, () => exchange(request))
      }
    })
  }
  await run()
  for (const engine of engines) engine.destroy()
}

/** An engine with one client and, after the first request, one upstream connection. */
function serve(pair: ServedPair): { readonly engine: Engine; readonly exchange: (request: Buffer) => void } {
  const upstreams: MemoryConnection[] = []
  const engine = createWireEngine({
    current: () => pair,
    holds: heldFor(pair),
    counters: countersOf(),
    failedChecks: new CheckVerdicts(),
    settings: { ...ENGINE_SETTINGS, limits: { keepAliveRequests: Number.MAX_SAFE_INTEGER } },
    clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
    random: createRandom(Uint32Array.of(1, 2, 3, 4)),
    log: { warn: () => undefined, info: () => undefined, debug: () => undefined },
    transport: memoryTransport(upstreams),
  })
  const client = new MemoryConnection()
  engine.serve?.(client, { localPort: 80, proxied: undefined })
  client.receive(Buffer.from(MINIMAL))
  const [upstream] = upstreams
  upstream?.events.opened()
  upstream?.receive(ANSWER)
  return {
    engine,
    exchange(request) {
      const before = client.sentBytes
      client.receive(request)
      upstream?.receive(ANSWER)
      if (client.sentBytes === before) throw new Error('the request was not answered')
    },
  }
}

function heldFor(pair: ServedPair): HeldPairs {
  const holds = new HeldPairs(() => undefined)
  holds.assigned(pair, 1)
  return holds
}

function countersOf(): CounterColumn {
  const counters = new CounterColumn(allocateCounterMemory(1), 0)
  counters.addSegments([allocateSegment(1)])
  return counters
}

function memoryTransport(upstreams: MemoryConnection[]): Transport {
  return {
    name: 'handle',
    attach: () => undefined,
    adopt: () => new MemoryConnection(),
    release: () => new Socket(),
    connect(_target, events) {
      const connection = new MemoryConnection()
      connection.events = events
      upstreams.push(connection)
      return connection
    },
  }
}

function servedPair(count: number, counts: boolean): ServedPair {
  const routes = Array.from({ length: count }, (_, index) => prefix(`/api/${index + 17}`, { id: `route ${index}` }))
  return servedPairOf({
    routes: routeTable([virtualHost('shop.example', routes)], { backends: new Map([[BACKEND, backend(BACKEND)]]) }),
    endpoints: endpointTable({ [BACKEND]: [endpoint(ADDRESS)] }),
    routeSlots: new Map(counts ? [['route 0', 0]] : []),
    endpointSlots: new Map(counts ? [[ADDRESS, 1]] : []),
  })
}

await main()
