// One data-plane thread: builds pairs, assigns them, and owns listeners and engine. Everything it does begins with a
// message of the main thread or a socket.
import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import { createRandom } from '../lib/random.ts'
import { runSteps } from '../lib/steps.ts'
import type { Timers } from '../lib/timers.ts'
import type { PublishFailure } from '../model/generation.ts'
import { BufferBudget } from './buffer-budget.ts'
import { CheckVerdicts } from './check-verdicts.ts'
import { CounterColumn } from './counter-column.ts'
import type { Engine, EngineDeps, EngineFactory, EngineName, ServedPair } from './engine.ts'
import { Http2Lane } from './engines/http2/lane.ts'
import { HeldPairs } from './held-pairs.ts'
import { Listeners } from './listener.ts'
import { LiveAddresses } from './live-addresses.ts'
import { LogRelay } from './log-relay.ts'
import { LoopDelayRecorder } from './loop-delay.ts'
import { type BuiltPair, type PairBuilders, PairMaker } from './pair-maker.ts'
import { runInSlices } from './slices.ts'
import type { SocketAddress } from './socket-address.ts'
import { TlsFront } from './tls/front.ts'
import { chooseTransport } from './transport/choose.ts'
import type { Transport } from './transport/transport.ts'
import type { BuildMessage, FromWorker, ToWorker, WorkerBoot, WorkerLoad } from './worker-protocol.ts'

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

/** How often a drain looks whether anything is left. */
const DRAIN_POLL_MS = 20

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
  readonly #held: HeldPairs
  readonly #maker: PairMaker
  readonly #engine: Engine
  readonly #tls: TlsFront
  readonly #http2: Http2Lane | undefined
  readonly #listeners: Listeners
  readonly #addresses = new LiveAddresses()
  readonly #verdicts = new CheckVerdicts()
  #hasFailed = false
  /** Sequence of what is being built. */
  #building = 0
  #built: BuiltPair | undefined
  #served: BuiltPair | undefined

  constructor({ parts, boot, port, transport }: WorkerDeps) {
    this.#boot = boot
    this.#port = port
    this.#log = new LogRelay((batch) => this.#send({ kind: 'log', ...batch }))
    this.#held = new HeldPairs((sequence) => this.#send({ kind: 'unused', sequence }))
    const counters = new CounterColumn(boot.counters, boot.column)
    this.#maker = new PairMaker({ builders: parts, counters, workerIndex: boot.index, clock })
    const budget = new BufferBudget(boot.engineSettings.bufferBudgetBytes ?? Number.POSITIVE_INFINITY, counters)
    const random = createRandom(crypto.getRandomValues(new Uint32Array(4)))
    const engineDeps: EngineDeps = {
      current: () => this.#current(),
      holds: this.#held,
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
  }

  start(): void {
    this.#startHeartbeat()
    process.on('uncaughtException', (thrown) => this.#fail(thrown))
  }

  #startHeartbeat(): void {
    const { heartbeat, heartbeatMs, loopDelay } = this.#boot
    const beats = new Int32Array(heartbeat)
    const delays = new LoopDelayRecorder(loopDelay)
    let dueMs = clock.monotonicMs()
    const beat = (): void => {
      Atomics.add(beats, 0, 1)
      const nowMs = clock.monotonicMs()
      delays.record(nowMs - dueMs)
      dueMs = nowMs + heartbeatMs
      this.#log.flush()
    }
    setInterval(beat, heartbeatMs)
    // The first one says that the thread runs: from now on silence is a stall and no slow start.
    beat()
  }

  receive(message: ToWorker): void {
    switch (message.kind) {
      case 'build':
        void this.#build(message)
        break
      case 'assign':
        this.#assign(message.sequence)
        break
      case 'abandon':
        this.#building = 0
        this.#built = undefined
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
        this.#engine.startDraining()
        this.#http2?.startDraining()
        break
      case 'drain':
        this.#drain(message.graceMs)
        break
    }
  }

  /** Certificates first: a handshake never names one that this worker lacks (R21-18). */
  async #build(message: BuildMessage): Promise<void> {
    const { sequence, delta } = message
    const names = delta.serverNames.set
    this.#building = sequence
    try {
      const steps = this.#maker.build(this.#served, message)
      // Who serves nothing yet keeps nobody waiting.
      const result = this.#served ? await runInSlices(steps, { clock, turn: setImmediate }) : runSteps(steps)
      if (this.#building !== sequence) return
      if (!result.ok) {
        this.#refuse(sequence, 'digest', result.error)
        return
      }
      const { certificates } = result.value.pair.routes
      const fault = this.#tls.isPrepared(names) ? undefined : await this.#tls.prepare(certificates, names)
      if (this.#building !== sequence) return
      if (fault === undefined) this.#wasBuilt(result.value)
      else this.#refuse(sequence, 'tls_context', fault)
    } catch (thrown) {
      this.#refuse(sequence, 'other', messageOf(thrown))
    }
  }

  #wasBuilt(built: BuiltPair): void {
    const { digest, endpointsDigest } = built.pair
    this.#built = built
    this.#send({ kind: 'built', sequence: built.sequence, digest, endpointsDigest })
  }

  #refuse(sequence: number, reason: PublishFailure, message: string): void {
    this.#send({ kind: 'refused', sequence, reason, message })
  }

  #assign(sequence: number): void {
    const built = this.#built
    if (built?.sequence !== sequence) return
    const before = this.#served
    this.#built = undefined
    this.#held.assigned(built.pair, sequence)
    this.#served = built
    this.#addresses.change(before?.tables.endpoints, built.endpoints)
    this.#engine.pairAssigned(built.pair, this.#addresses)
    this.#tls.pairAssigned(built.pair, before?.pair, this.#addresses)
    // In this order, since `replaced` may tell at once that the pair before is read no more.
    this.#send({ kind: 'assigned', sequence })
    if (before) this.#held.replaced(before.pair)
  }

  async #listen(addresses: readonly SocketAddress[]): Promise<void> {
    try {
      this.#send({ kind: 'listening', bound: await this.#listeners.open(addresses) })
    } catch (thrown) {
      this.#send({ kind: 'listenFailed', message: messageOf(thrown) })
    }
  }

  #drain(graceMs: number): void {
    const deadlineMs = clock.monotonicMs() + graceMs
    this.#listeners.close()
    this.#engine.startDraining()
    this.#http2?.startDraining()
    const poll = setInterval(() => {
      // A connection that was busy at the last look may be idle now.
      this.#closeIdle()
      const left = this.#load()
      if (left.requests + left.streams + left.tunnels > 0 && clock.monotonicMs() < deadlineMs) return
      clearInterval(poll)
      this.#end(left)
    }, DRAIN_POLL_MS)
    this.#closeIdle()
  }

  #closeIdle(): void {
    this.#engine.closeIdle()
    this.#http2?.closeIdle()
  }

  #load(): WorkerLoad {
    const { requests, tunnels } = this.#engine.load()
    return { requests, streams: this.#http2?.load().streams ?? 0, tunnels: tunnels + this.#tls.tunnels }
  }

  #end(cut: WorkerLoad): void {
    this.#http2?.destroy()
    this.#engine.destroy()
    this.#tls.destroy()
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

  #current(): ServedPair {
    if (!this.#served) throw new TypeError('a worker was asked for its pair before one was assigned')
    return this.#served.pair
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message)
  }
}
