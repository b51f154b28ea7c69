// One data-plane thread: its parts, and which of them each message of the main thread is for. Everything it does begins
// with such a message or a socket.
import { performance } from 'node:perf_hooks'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import { createRandom } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import { BufferBudget } from './buffer-budget.ts'
import { CheckVerdicts } from './check-verdicts.ts'
import { CounterColumn } from './counter-column.ts'
import type { Engine, EngineDeps, EngineFactory, EngineName } from './engine.ts'
import { Http2Lane } from './engines/http2/lane.ts'
import { startHeartbeat } from './heartbeat.ts'
import { HeldPairs } from './held-pairs.ts'
import { Listeners } from './listener.ts'
import { LogRelay } from './log-relay.ts'
import { type PairBuilders, PairMaker } from './pair-maker.ts'
import type { SocketAddress } from './socket-address.ts'
import { TlsFront } from './tls/front.ts'
import { chooseTransport } from './transport/choose.ts'
import type { Transport } from './transport/transport.ts'
import { WorkerDrain } from './worker-drain.ts'
import { WorkerPairs } from './worker-pairs.ts'
import type { FromWorker, ToWorker, WorkerBoot } from './worker-protocol.ts'

/** What a worker is made of; entry files choose it. */
export interface WorkerParts extends PairBuilders {
  readonly engines: Readonly<Record<EngineName, EngineFactory>>
}

/** Turns this thread into a worker. To be called once, by the entry file of a thread that `DataPlane` started. */
export function runWorker(parts: WorkerParts): void {
  if (!parentPort) throw new TypeError('runWorker is called in a worker thread only')
  void startWorker(parts, workerData, parentPort)
}

async function startWorker(parts: WorkerParts, boot: WorkerBoot, port: MessagePort): Promise<void> {
  // Main need not know how long a worker takes to begin: what it says until then is heard as soon as it has.
  const early: ToWorker[] = []
  let worker: DataPlaneWorker | undefined
  port.on('message', (message: ToWorker) => {
    if (worker) worker.receive(message)
    else early.push(message)
  })
  // Before anything binds (R20-8).
  const transport = boot.engine === 'wire' ? await transportFor(boot, port) : undefined
  worker = new DataPlaneWorker({ parts, boot, port, transport })
  worker.start()
  for (const message of early) worker.receive(message)
}

async function transportFor({ transport: wish }: WorkerBoot, port: MessagePort): Promise<Transport> {
  const { transport, fallback } = await chooseTransport(wish)
  const message: FromWorker = { kind: 'transport', report: { serving: transport.name, fallback } }
  port.postMessage(message)
  return transport
}

interface WorkerDeps {
  readonly parts: WorkerParts
  readonly boot: WorkerBoot
  readonly port: MessagePort
  readonly transport: Transport | undefined
}

const clock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

const timers: Timers = {
  after(ms, run) {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

class DataPlaneWorker {
  readonly #boot: WorkerBoot
  readonly #port: MessagePort
  readonly #log: LogRelay
  readonly #pairs: WorkerPairs
  readonly #engine: Engine
  readonly #tls: TlsFront
  readonly #http2: Http2Lane | undefined
  readonly #listeners: Listeners
  readonly #drain: WorkerDrain
  readonly #verdicts = new CheckVerdicts()
  #hasFailed = false

  constructor({ parts, boot, port, transport }: WorkerDeps) {
    this.#boot = boot
    this.#port = port
    this.#log = new LogRelay((batch) => this.#send({ kind: 'log', ...batch }))
    const held = new HeldPairs((sequence) => this.#send({ kind: 'unused', sequence }))
    const counters = new CounterColumn(boot.counters, boot.column)
    const budget = new BufferBudget(boot.engineSettings.bufferBudgetBytes ?? Number.POSITIVE_INFINITY, counters)
    const random = createRandom(crypto.getRandomValues(new Uint32Array(4)))
    const engineDeps: EngineDeps = {
      current: () => this.#pairs.current(),
      holds: held,
      counters,
      failedChecks: this.#verdicts,
      settings: boot.engineSettings,
      clock,
      random,
      log: this.#log,
      transport,
      budget,
      takeHttp2: boot.http2 && ((socket, origin) => this.#http2?.accept(socket, origin)),
    }
    const engine = parts.engines[boot.engine](engineDeps)
    const { connectionBufferBytes, limits } = boot.engineSettings
    const { http2, maxConnections, proxyProtocol } = boot
    const shared = { engine, counters, connectionBufferBytes }
    this.#engine = engine
    this.#http2 = http2 && new Http2Lane({ ...shared, http2, limits, budget, clock, random })
    this.#tls = new TlsFront({ engineDeps, engine, h2: this.#http2, settings: boot.tls, timers })
    this.#listeners = new Listeners({
      ...shared,
      tls: this.#tls,
      log: this.#log,
      maxConnections,
      transport,
      proxyProtocol,
      timers,
    })
    this.#drain = new WorkerDrain({ clock, listeners: this.#listeners, engine, http2: this.#http2, tls: this.#tls })
    this.#pairs = this.#createPairs(new PairMaker({ builders: parts, counters, workerIndex: boot.index, clock }), held)
  }

  start(): void {
    startHeartbeat({ boot: this.#boot, clock, onBeat: () => this.#log.flush() })
    process.on('uncaughtException', (thrown) => this.#fail(thrown))
  }

  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'part':
        void this.#pairs.take(message)
        break
      case 'build':
        void this.#pairs.build(message)
        break
      case 'assign':
        this.#pairs.assign(message.sequence)
        break
      case 'abandon':
        this.#pairs.abandon()
        break
      case 'ticketKeys':
        this.#tls.setTicketKeys(Buffer.from(message.keys))
        break
      case 'checked':
        this.#verdicts.change(message.changes)
        break
      case 'listen':
        void this.#listen(message.addresses)
        break
      case 'startDraining':
        this.#drain.begin()
        break
      case 'drain':
        void this.#end(message.graceMs)
        break
    }
  }

  #createPairs(maker: PairMaker, held: HeldPairs): WorkerPairs {
    return new WorkerPairs({
      maker,
      held,
      clock,
      engine: this.#engine,
      tls: this.#tls,
      send: (message) => this.#send(message),
    })
  }

  async #listen(addresses: readonly SocketAddress[]): Promise<void> {
    try {
      this.#send({ kind: 'listening', bound: await this.#listeners.open(addresses) })
    } catch (thrown) {
      this.#send({ kind: 'listenFailed', message: messageOf(thrown) })
    }
  }

  async #end(graceMs: number): Promise<void> {
    const cut = await this.#drain.finish(graceMs)
    this.#log.flush()
    this.#send({ kind: 'drained', cut })
  }

  // The thread's state is not to be trusted any more, but its connections are worth a drain, which main orders as soon
  // as another worker listens (R70-123, R70-126). Told once: what follows may come with every request.
  #fail(thrown: unknown): void {
    this.#engine.recover()
    if (this.#hasFailed) return
    this.#hasFailed = true
    const stack = thrown instanceof Error ? thrown.stack : undefined
    this.#send({ kind: 'failing', message: messageOf(thrown), stack })
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message)
  }
}
