// The entry file of workers that serve with a real engine and fail when a test orders it. Faults come out of what
// the engine calls (its counters, its pair, its balancing), so they are thrown inside the callbacks of the real thing.
import { BroadcastChannel, parentPort, workerData } from 'node:worker_threads'
import type { ConnectionOrigin, Engine, EngineDeps, EngineFactory, WorkerCounters } from '../../src/dataplane/engine.ts'
import { createStandardEngine } from '../../src/dataplane/engines/standard/server.ts'
import { createWireEngine } from '../../src/dataplane/engines/wire/server.ts'
import { HeldPairs } from '../../src/dataplane/held-pairs.ts'
import { runWorker } from '../../src/dataplane/run-worker.ts'
import type { Connection } from '../../src/dataplane/transport/transport.ts'
import type { ToWorker } from '../../src/dataplane/worker-protocol.ts'
import { buildBalancers } from '../../src/router/balance/balancers.ts'
import { buildRouter } from '../../src/router/router.ts'
import { type FromOrdered, ORDERS_CHANNEL, type Order, type ThrowPlace, type ToOrdered } from './worker-orders.ts'

const worker: number = workerData.index
const channel = new BroadcastChannel(ORDERS_CHANNEL)
let throwsIn: ThrowPlace | undefined
let failsBuildingBy: Extract<Order, { kind: 'build' }>['fault'] | undefined
let engineDeps: EngineDeps | undefined

channel.addEventListener('message', ({ data }: MessageEvent) => {
  const { to, order } = data as ToOrdered
  if (to === worker || to === 'all') obey(order)
})
// Before the product's own listener: what it does to a message, the product sees.
parentPort?.on('message', (message: ToWorker) => {
  if (message.kind === 'build' && failsBuildingBy === 'lose') loseOne(message)
})

runWorker({
  engines: {
    wire: (deps) => orderedEngine(createWireEngine, deps),
    standard: (deps) => orderedEngine(createStandardEngine, deps),
  },
  buildRouter(table, previous) {
    const fault = failsBuildingBy
    failsBuildingBy = undefined
    if (fault === 'throw') throw new Error('ordered to fail while it builds')
    if (fault !== undefined) die(fault)
    return buildRouter(table, previous)
  },
  buildBalancers,
})

function obey(order: Order): void {
  switch (order.kind) {
    case 'throw':
      throwsIn = order.place
      throwByItself(order.place)
      break
    case 'exit':
    case 'spin':
      die(order.kind)
      break
    case 'heap':
      growStepByStep([])
      break
    case 'build':
      failsBuildingBy = order.fault
      break
    case 'tell':
      tell({ kind: 'holds', holdings: holdings() })
      return
  }
  tell({ kind: 'obeying', worker })
}

function orderedEngine(createEngine: EngineFactory, deps: EngineDeps): Engine {
  engineDeps = deps
  const engine = createEngine({ ...deps, counters: countersOf(deps.counters), current: () => currentOf(deps) })
  const serve = engine.serve?.bind(engine)
  return {
    accept(socket, origin) {
      tell({ kind: 'accepted', worker, clientPort: socket.remotePort ?? 0 })
      throwIn('connection')
      engine.accept(socket, origin)
    },
    ...(serve && {
      serve(connection: Connection, origin: ConnectionOrigin) {
        tell({ kind: 'accepted', worker, clientPort: connection.peerPort })
        throwIn('connection')
        serve(connection, origin)
      },
    }),
    pairAssigned(pair, served) {
      throwIn('assignment')
      engine.pairAssigned(pair, served)
    },
    startDraining: () => engine.startDraining(),
    closeIdle: () => engine.closeIdle(),
    recover: () => engine.recover(),
    destroy: () => engine.destroy(),
    load: () => engine.load(),
  }
}

function currentOf(deps: EngineDeps): ReturnType<EngineDeps['current']> {
  throwIn('request')
  return deps.current()
}

function countersOf(counters: WorkerCounters): WorkerCounters {
  return {
    add: (slot, field, value) => counters.add(slot, field, value),
    addProcess(field, value) {
      if (field === 'tunnels') throwIn('upgrade')
      counters.addProcess(field, value)
    },
    observe(histogram, seconds) {
      if (histogram === 'upstreamLatency') throwIn('response')
      counters.observe(histogram, seconds)
    },
    inFlight: (slot) => counters.inFlight(slot),
  }
}

function throwIn(place: ThrowPlace): void {
  if (throwsIn !== place) return
  throwsIn = undefined
  throw new Error(`ordered to throw in a callback: ${place}`)
}

function throwByItself(place: ThrowPlace): void {
  if (place === 'timer') setTimeout(() => throwIn('timer'), 1)
  if (place === 'rejection') void Promise.resolve().then(() => throwIn('rejection'))
}

function die(by: 'exit' | 'spin' | 'heap' | 'lose'): void {
  const hoard: unknown[] = []
  if (by === 'exit') process.exit(3)
  if (by === 'spin') for (;;) hoard.length = 0
  if (by === 'heap') for (;;) hoard.push(step())
}

// With turns of the event loop in between, in which requests are served.
function growStepByStep(hoard: unknown[]): void {
  hoard.push(step())
  setImmediate(() => growStepByStep(hoard))
}

function step(): unknown {
  return Array.from({ length: 5_000 }, (_none, index) => ({ index }))
}

function loseOne({ delta }: Extract<ToWorker, { kind: 'build' }>): void {
  failsBuildingBy = undefined
  Object.assign(delta.hosts, { set: delta.hosts.set.slice(1) })
}

function holdings(): Extract<FromOrdered, { kind: 'holds' }>['holdings'] {
  const pair = engineDeps?.current()
  const held = engineDeps?.holds
  const resources = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) resources.set(kind, (resources.get(kind) ?? 0) + 1)
  return {
    worker,
    routeRows: [...(pair?.routeSlots ?? [])],
    endpointRows: [...(pair?.endpointSlots ?? [])],
    heldPairs: held instanceof HeldPairs ? held.size : Number.NaN,
    resources: Object.fromEntries(resources),
  }
}

function tell(message: FromOrdered): void {
  channel.postMessage(message)
}
