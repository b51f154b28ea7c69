// A process of its own around the wire engine, so that what it allocates is what the engine allocates. Arguments: the
// transport and the origin's address. It tells its port, and for each message the bytes that it has allocated so far.
import { createServer } from 'node:net'
import { performance } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { CheckVerdicts } from '../../../src/dataplane/check-verdicts.ts'
import { CounterColumn } from '../../../src/dataplane/counter-column.ts'
import { allocateCounterMemory, allocateSegment } from '../../../src/dataplane/counter-layout.ts'
import type { ServedPair } from '../../../src/dataplane/engine.ts'
import { createWireEngine } from '../../../src/dataplane/engines/wire/server.ts'
import { HeldPairs } from '../../../src/dataplane/held-pairs.ts'
import { createHandleTransport } from '../../../src/dataplane/transport/handle.ts'
import { createPublicTransport } from '../../../src/dataplane/transport/public.ts'
import { createRandom } from '../../../src/lib/random.ts'
import { ENGINE_SETTINGS } from '../../builders/engine-settings.ts'
import { backend, endpoint, endpointTable, prefix, routeTable, virtualHost } from '../../builders/route-table.ts'
import { servedPairOf } from '../../builders/served-pair.ts'
import { listening } from '../../fakes/listening.ts'

const [transportName = '', origin = ''] = process.argv.slice(2)
const BACKEND = 'shop/web:80'

const handles = createHandleTransport()
const transport = transportName === 'handle' && handles.ok ? handles.value : createPublicTransport()
const pair = servedPair()
const holds = new HeldPairs(() => undefined)
holds.assigned(pair, 1)
const counters = new CounterColumn(allocateCounterMemory(1), 0)
counters.addSegments([allocateSegment(1)])
const engine = createWireEngine({
  current: () => pair,
  holds,
  counters,
  failedChecks: new CheckVerdicts(),
  settings: {
    ...ENGINE_SETTINGS,
    limits: { keepAliveRequests: Number.MAX_SAFE_INTEGER },
  },
  clock: { monotonicMs: () => performance.now(), wallMs: () => Date.now() },
  random: createRandom(Uint32Array.of(1, 2, 3, 4)),
  log: { warn: () => undefined, info: () => undefined, debug: () => undefined },
  transport,
})

const server = createServer({ allowHalfOpen: true })
const port = await listening(server)
transport.attach(server, (connection) => engine.serve?.(connection, { localPort: port, proxied: undefined }))
process.on('message', () => process.send?.({ allocated: getHeapStatistics().total_allocated_bytes }))
process.send?.({ port })

function servedPair(): ServedPair {
  const routes = routeTable([virtualHost('shop.example', [prefix('', { id: 'shop' })])], {
    backends: new Map([[BACKEND, backend(BACKEND)]]),
  })
  const endpoints = endpointTable({ [BACKEND]: [endpoint(origin)] })
  return servedPairOf({
    routes,
    endpoints,
    routeSlots: new Map([['shop', 0]]),
    endpointSlots: new Map([[origin, 1]]),
  })
}
