// The data plane as the main thread sees it. Everything that carries bytes of clients is in the workers behind it.
import { randomBytes } from 'node:crypto'
import { messageOf } from '../lib/errors.ts'
import type { ProcessTotals, SlotTotals } from '../model/counters.ts'
import type { ApplyOutcome, Pair } from '../model/generation.ts'
import { checkAddresses } from './bind-check.ts'
import { Binding } from './binding.ts'
import { endpointChecks } from './check-endpoint.ts'
import { CounterMatrix } from './counters.ts'
import { type DataPlaneDeps, type DataPlaneSettings, type DataPlaneTiming, TIMING } from './data-plane-settings.ts'
import { type DescriptorShare, descriptorShare, readOpenFilesLimit } from './descriptors.ts'
import { type DrainReport, drainWorkers } from './drain-workers.ts'
import { WorkersLostError } from './errors.ts'
import { HealthChecker } from './health-checker.ts'
import type { BoundListener } from './listen-address.ts'
import { memoryLimit, workerHeapMb } from './memory.ts'
import { Publisher } from './publisher.ts'
import type { RestartReason } from './restart-reason.ts'
import { type SocketAddress, socketsOf } from './socket-address.ts'
import { Supervisor } from './supervisor.ts'
import { TransportWatch } from './transport-watch.ts'
import { workerBoot, workerEntry } from './worker-boot.ts'
import { WorkerLink, type WorkerLinkEvents } from './worker-link.ts'
import { takeLoopDelays, type WorkerLoopDelay, type WorkerStatus, workerStatuses } from './worker-status.ts'

/** What is left out of a start. */
export interface StartOptions {
  /** No TLS listener is bound: nothing has a certificate (R20-20). */
  readonly withoutTls?: boolean
}

/** The size of what Node wants: a name, and two keys of 16 bytes (RFC 5077, section 4). */
const TICKET_KEY_BYTES = 48

export interface DataPlane {
  /**
   * Checks every address and starts the workers; they listen after their first pair. Throws `BindError` (R20-25), and
   * `TransportUnavailableError` where the transport is strict.
   */
  start(options?: StartOptions): Promise<void>
  /**
   * Publishes in two phases and resolves when every worker serves `pair`, or when it was refused and the last good one
   * stays everywhere. One call at a time. `keptGenerations`: numbers of those whose counters must keep their rows.
   */
  apply(pair: Pair, keptGenerations?: readonly number[]): Promise<ApplyOutcome>
  workers(): readonly WorkerStatus[]
  /** By what sockets are read and written; `node` where the engine leaves that to Node's HTTP server. */
  transport(): string
  totals(): ProcessTotals
  /** All zero for a route or an endpoint that is not known. */
  routeTotals(routeId: string): SlotTotals
  endpointTotals(address: string): SlotTotals
  /** Whether an endpoint is well as its active checks go; `undefined`: it is not checked, or was not yet (R20-151). */
  isHealthy(backend: string, address: string): boolean | undefined
  /** The sockets that are or will be bound; port 0 until the first worker listens. */
  listeners(): readonly BoundListener[]
  workerRestarts(): Readonly<Record<RestartReason, number>>
  /** Of every worker that there is, since the last call (R70-121). */
  takeLoopDelays(): readonly WorkerLoopDelay[]
  /**
   * Session tickets are made with these 48 bytes from now on, in every worker that there is or will be (R21-24); those
   * that were made with others cost one full handshake (R21-25).
   */
  setTicketKeys(keys: Buffer): void
  /** From now on every answer carries `Connection: close` (R20-166). */
  startDraining(): void
  /** Closes listeners and idle connections and waits for requests and tunnels, at most `graceMs` (R20-167). */
  drain(options: { readonly graceMs: number }): Promise<DrainReport>
  /** Ends every worker at once. */
  stop(): Promise<void>
  /** False when a worker has been dead past its restart budget (R70-122). */
  healthy(): boolean
}

/** The data plane, not started. */
export function createDataPlane(settings: DataPlaneSettings, deps: DataPlaneDeps): DataPlane {
  return new ThreadedDataPlane(settings, deps)
}

class ThreadedDataPlane implements DataPlane {
  readonly #settings: DataPlaneSettings
  readonly #deps: DataPlaneDeps
  readonly #timing: DataPlaneTiming
  readonly #heapMb: number
  readonly #matrix: CounterMatrix
  readonly #publisher: Publisher
  readonly #supervisor: Supervisor
  readonly #checker: HealthChecker
  readonly #transports: TransportWatch
  #binding: Binding
  #descriptors: DescriptorShare
  // Until somebody hands in others, so that a ticket of one worker is good for all from the first handshake on.
  #ticketKeys: Uint8Array = randomBytes(TICKET_KEY_BYTES)
  #isStarted = false
  #isDraining = false

  constructor(settings: DataPlaneSettings, deps: DataPlaneDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#timing = { ...TIMING, ...deps.timing }
    this.#heapMb = settings.workerHeapMb ?? workerHeapMb(memoryLimit(), settings.workers)
    // A successor needs a column while the one before it drains; memory that is never written costs nothing.
    this.#matrix = new CounterMatrix(settings.workers * 2 + 2)
    this.#binding = new Binding(this.#sockets({}))
    this.#descriptors = descriptorShare(undefined, settings.workers)
    this.#transports = new TransportWatch({ log: deps.log, isStrict: settings.isTransportStrict === true })
    this.#supervisor = this.#createSupervisor()
    this.#checker = this.#createChecker()
    this.#publisher = this.#createPublisher()
  }

  async start(options: StartOptions = {}): Promise<void> {
    this.#binding = new Binding(await checkAddresses(this.#sockets(options)))
    this.#descriptors = descriptorShare(await readOpenFilesLimit(), this.#settings.workers)
    this.#supervisor.start()
    if (this.#settings.engine === 'wire') await this.#checkTransports()
    this.#isStarted = true
  }

  transport(): string {
    return this.#settings.engine === 'wire' ? this.#transports.serving() : 'node'
  }

  apply(pair: Pair, keptGenerations: readonly number[] = []): Promise<ApplyOutcome> {
    return this.#publisher.apply(pair, keptGenerations)
  }

  workers(): readonly WorkerStatus[] {
    return workerStatuses(this.#supervisor)
  }

  totals(): ProcessTotals {
    return this.#matrix.processTotals()
  }

  routeTotals(routeId: string): SlotTotals {
    return this.#publisher.routeTotals(routeId)
  }

  endpointTotals(address: string): SlotTotals {
    return this.#publisher.endpointTotals(address)
  }

  isHealthy(backend: string, address: string): boolean | undefined {
    return this.#checker.isHealthy(backend, address)
  }

  listeners(): readonly BoundListener[] {
    return this.#binding.listeners()
  }

  workerRestarts(): Readonly<Record<RestartReason, number>> {
    return this.#supervisor.restarts()
  }

  takeLoopDelays(): readonly WorkerLoopDelay[] {
    return takeLoopDelays(this.#supervisor)
  }

  setTicketKeys(keys: Buffer): void {
    this.#ticketKeys = keys
    for (const link of this.#supervisor.alive()) link.tellTicketKeys(keys)
  }

  startDraining(): void {
    this.#isDraining = true
    for (const link of this.#supervisor.alive()) link.startDraining()
  }

  async drain({ graceMs }: { readonly graceMs: number }): Promise<DrainReport> {
    this.startDraining()
    this.#supervisor.stopReplacing()
    const report = await drainWorkers([...this.#supervisor.alive()], graceMs, this.#deps)
    await this.stop()
    return report
  }

  async stop(): Promise<void> {
    this.#checker.stop()
    await this.#supervisor.stop()
    this.#publisher.membersChanged()
  }

  healthy(): boolean {
    return !this.#supervisor.seats().some(({ isDead }) => isDead)
  }

  #sockets({ withoutTls = false }: StartOptions): SocketAddress[] {
    const { http, https = [] } = this.#settings
    return socketsOf({ http, https: withoutTls ? [] : https })
  }

  #createSupervisor(): Supervisor {
    const { heartbeatMs, stallMs, bootMs, ...waits } = this.#timing
    const { clock, timers, log, onFatal } = this.#deps
    const { workers } = this.#settings
    const beatsIn = (ms: number): number => Math.ceil(ms / heartbeatMs)
    return new Supervisor(
      { ...waits, workers, heartbeatMs, stallBeats: beatsIn(stallMs), bootBeats: beatsIn(bootMs) },
      {
        clock,
        timers,
        log,
        spawn: (index, events) => this.#spawn(index, events),
        onSpawn: (link) => this.#spawned(link),
        onGone: (link) => this.#matrix.returnColumn(link.boot.column),
        onLost: () => {
          this.#publisher.membersChanged()
          onFatal(new WorkersLostError(workers))
        },
      },
    )
  }

  #createPublisher(): Publisher {
    return new Publisher({
      matrix: this.#matrix,
      timers: this.#deps.timers,
      silenceMs: this.#timing.silenceMs,
      members: () => this.#supervisor.members(),
      alive: () => this.#supervisor.alive(),
      isLost: () => this.#supervisor.isLost,
      onServed: ({ generation, endpoints }) => {
        this.#checker.follow({ routes: generation.routes, endpoints: endpoints.table })
      },
      onCurrent: (link) => this.#listen(link),
    })
  }

  #createChecker(): HealthChecker {
    const { clock, timers, log } = this.#deps
    return new HealthChecker({
      clock,
      timers,
      log,
      random: () => Math.random(),
      check: endpointChecks(timers),
      onChanges: (changes) => {
        for (const link of this.#supervisor.alive()) link.tellChecks(changes)
      },
    })
  }

  #spawn(index: number, events: WorkerLinkEvents): WorkerLink | undefined {
    const column = this.#matrix.takeColumn()
    if (column === undefined) return undefined
    const { heartbeatMs } = this.#timing
    const place = { index, column, counters: this.#matrix.memory, heartbeatMs, descriptors: this.#descriptors }
    const boot = workerBoot(this.#settings, place)
    return new WorkerLink({ entry: this.#deps.workerEntry ?? workerEntry(), boot, heapMb: this.#heapMb }, events)
  }

  #spawned(link: WorkerLink): void {
    link.tellTicketKeys(this.#ticketKeys)
    if (this.#isDraining) link.startDraining()
    if (this.#isStarted) void this.#checkSuccessor(link)
    const failed = this.#checker.failed()
    if (failed.length > 0) link.tellChecks(failed)
    void this.#publisher.bringUp(link)
  }

  async #checkTransports(): Promise<void> {
    try {
      await Promise.all(this.#supervisor.members().map((link) => this.#transports.check(link)))
    } catch (thrown) {
      await this.stop()
      throw thrown
    }
  }

  async #checkSuccessor(link: WorkerLink): Promise<void> {
    try {
      await this.#transports.check(link)
    } catch (thrown) {
      link.end({ cause: 'exit', message: messageOf(thrown) })
    }
  }

  async #listen(link: WorkerLink): Promise<void> {
    if (link.isEnding || this.#supervisor.isListening(link)) return
    const reply = await this.#binding.listen(link)
    if (reply.kind === 'listening') this.#supervisor.noteListening(link)
    else link.end({ cause: 'listen', message: reply.message })
  }
}
