// Keeps every place among the workers filled: deaths, stalls, back-off, budgets (R70-121..126).
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { LogBatch } from './log-relay.ts'
import { RestartBudget, type RestartPolicy } from './restart-budget.ts'
import { RESTART_REASONS, type RestartReason } from './restart-reason.ts'
import type { WorkerDeath, WorkerFailure } from './worker-end.ts'
import type { WorkerLink, WorkerLinkEvents } from './worker-link.ts'

export interface SupervisorSettings {
  readonly workers: number
  readonly restarts: RestartPolicy
  readonly heartbeatMs: number
  /** Looks without a heartbeat in between, after which a worker has stalled. */
  readonly stallBeats: number
  /** The same for a thread that has not begun to run yet. */
  readonly bootBeats: number
  /** How long a worker that stalled may stay to be asked where it is. */
  readonly profileMs: number
  /** What a worker that threw may still finish (R70-126). */
  readonly failingGraceMs: number
}

export interface SupervisorDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Starts the thread for a place; `undefined` while there is no column of the counters left for it. */
  readonly spawn: (index: number, events: WorkerLinkEvents) => WorkerLink | undefined
  /** A new worker is to be brought to the served pair and to listen. */
  readonly onSpawn: (link: WorkerLink) => void
  /** The thread is gone: its column may be given away. */
  readonly onGone: (link: WorkerLink) => void
  /** Nobody is left, and nobody will come. */
  readonly onLost: () => void
}

interface Seat {
  readonly index: number
  readonly budget: RestartBudget
  link: WorkerLink | undefined
  isDead: boolean
  /** Takes back the start of a successor. */
  cancelFill: Cancel
}

interface Watch {
  beats: number
  missed: number
}

/** The workers of one data plane: one a seat, and those that still drain after their successor was called. */
export class Supervisor {
  readonly #settings: SupervisorSettings
  readonly #deps: SupervisorDeps
  readonly #seats: Seat[]
  readonly #alive = new Map<WorkerLink, Watch>()
  /** Threw, and wait until another worker listens. */
  readonly #failing = new Set<WorkerLink>()
  readonly #listening = new Set<WorkerLink>()
  readonly #restarts = new Map<RestartReason, number>(RESTART_REASONS.map((reason) => [reason, 0]))
  #isReplacing = true
  #cancelWatch: Cancel = () => undefined

  constructor(settings: SupervisorSettings, deps: SupervisorDeps) {
    this.#settings = settings
    this.#deps = deps
    this.#seats = Array.from({ length: settings.workers }, (_none, index) => ({
      index,
      budget: new RestartBudget(settings.restarts),
      link: undefined,
      isDead: false,
      cancelFill: () => undefined,
    }))
  }

  /** Starts a worker on every seat, and watches them from now on. */
  start(): void {
    for (const seat of this.#seats) this.#fill(seat)
    this.#watch()
  }

  /** The workers that are published to: one a seat at most. */
  members(): WorkerLink[] {
    return this.#seats.flatMap(({ link }) => (link && !link.isEnding ? [link] : []))
  }

  /** Every thread that is not gone, those that drain included. */
  alive(): Iterable<WorkerLink> {
    return this.#alive.keys()
  }

  /** The worker on each seat, in order. */
  seats(): readonly { readonly link: WorkerLink | undefined; readonly isDead: boolean }[] {
    return this.#seats
  }

  isListening(link: WorkerLink): boolean {
    return this.#listening.has(link)
  }

  /** `link` takes connections from now on. */
  noteListening(link: WorkerLink): void {
    if (link.isEnding) return
    this.#listening.add(link)
    this.#retireCovered()
  }

  restarts(): Readonly<Record<RestartReason, number>> {
    const of = (reason: RestartReason): number => this.#restarts.get(reason) ?? 0
    return {
      exception: of('exception'),
      stall: of('stall'),
      memory: of('memory'),
      exit: of('exit'),
      publish: of('publish'),
    }
  }

  /** Whether every worker is gone for good: past its budget, or ended by `stop`. */
  get isLost(): boolean {
    return this.#seats.every(({ isDead, link }) => isDead || (!this.#isReplacing && (!link || link.isEnding)))
  }

  /** Leaves dead workers dead from now on, and watches no more. */
  stopReplacing(): void {
    this.#isReplacing = false
    this.#cancelWatch()
    for (const { cancelFill } of this.#seats) cancelFill()
  }

  /** Ends every thread at once; resolves when all are gone. */
  async stop(): Promise<void> {
    this.stopReplacing()
    const links = [...this.#alive.keys()]
    for (const link of links) link.end({ cause: 'stopped', message: 'the data plane stops' })
    await Promise.all(links.map(({ gone }) => gone))
  }

  #fill(seat: Seat): void {
    if (!this.#isReplacing || seat.link || seat.isDead) return
    const link = this.#deps.spawn(seat.index, {
      onFailing: (failing, failure) => this.#failed(seat, failing, failure),
      onEnd: (ended, death) => this.#ended(seat, ended, death),
      onLog: (_link, batch) => this.#logFrom(seat, batch),
    })
    if (!link) {
      this.#fillLater(seat, this.#settings.heartbeatMs)
      return
    }
    seat.link = link
    this.#alive.set(link, { beats: 0, missed: 0 })
    void this.#awaitGone(link)
    this.#deps.onSpawn(link)
  }

  #logFrom({ index: worker }: Seat, { records, dropped, droppedDebug }: LogBatch): void {
    const { log } = this.#deps
    for (const { level, fields, message } of records) log[level]({ worker, ...fields }, message)
    if (dropped > 0) log.warn({ worker, dropped }, 'log records of a worker were dropped')
    // Whoever reads no such records misses none.
    if (droppedDebug > 0) log.debug({ worker, dropped: droppedDebug }, 'log records of a worker were dropped')
  }

  #fillLater(seat: Seat, delayMs: number): void {
    seat.cancelFill = this.#deps.timers.after(delayMs, () => this.#fill(seat))
  }

  async #awaitGone(link: WorkerLink): Promise<void> {
    await link.gone
    this.#alive.delete(link)
    this.#deps.onGone(link)
  }

  // It serves on until its successor, or any other worker, takes connections: one always accepts (R70-123).
  #failed(seat: Seat, link: WorkerLink, { message, stack, isBuilding }: WorkerFailure): void {
    this.#deps.log.error({ worker: seat.index, reason: message, stack }, 'a worker failed')
    if (seat.link !== link) return
    this.#failing.add(link)
    this.#retireCovered()
    this.#replace(seat, link, isBuilding ? 'publish' : 'exception')
  }

  #ended(seat: Seat, link: WorkerLink, death: WorkerDeath): void {
    this.#listening.delete(link)
    this.#failing.delete(link)
    if (seat.link !== link || !this.#isReplacing) return
    const { cause, message } = death
    this.#deps.log.error({ worker: seat.index, cause, reason: message }, 'a worker ended')
    this.#replace(seat, link, restartReason(death))
  }

  #replace(seat: Seat, link: WorkerLink, reason: RestartReason): void {
    seat.link = undefined
    this.#restarts.set(reason, (this.#restarts.get(reason) ?? 0) + 1)
    if (!this.#isReplacing) return
    const delayMs = this.#delayMs(seat, link, reason)
    if (delayMs !== undefined) {
      this.#fillLater(seat, delayMs)
      return
    }
    seat.isDead = true
    this.#deps.log.error({ worker: seat.index }, 'a worker died too often and is not replaced any more')
    if (this.isLost) this.#deps.onLost()
  }

  // A worker that served and was killed by a new pair is no sign of bad health: its successor gets the pair before, and a refused
  // pair comes again by the back-off of publishing (R30-12). Counted, its few tries would cost the whole budget.
  #delayMs(seat: Seat, link: WorkerLink, reason: RestartReason): number | undefined {
    if (reason === 'publish' && link.assigned) return this.#settings.restarts.minDelayMs
    const verdict = seat.budget.died(this.#deps.clock.monotonicMs())
    return verdict.kind === 'restart' ? verdict.delayMs : undefined
  }

  #retireCovered(): void {
    for (const link of this.#failing) {
      const isCovered = [...this.#listening].some((other) => !this.#failing.has(other))
      if (!isCovered) return
      this.#failing.delete(link)
      this.#listening.delete(link)
      void this.#retire(link)
    }
  }

  async #retire(link: WorkerLink): Promise<void> {
    await link.drain(this.#settings.failingGraceMs, this.#deps.timers)
    link.end({ cause: 'exception', message: 'drained after a failure' })
  }

  #watch(): void {
    this.#cancelWatch = this.#deps.timers.after(this.#settings.heartbeatMs, () => {
      for (const [link, watch] of this.#alive) this.#look(link, watch)
      this.#watch()
    })
  }

  // Counted in looks and not in time: a main thread that was held up itself has not looked, and blames nobody.
  #look(link: WorkerLink, watch: Watch): void {
    const { beats } = link
    watch.missed = beats === watch.beats ? watch.missed + 1 : 0
    watch.beats = beats
    const limit = beats === 0 ? this.#settings.bootBeats : this.#settings.stallBeats
    if (watch.missed < limit || link.isEnding) return
    void this.#endStalled(link, `no heartbeat in ${limit * this.#settings.heartbeatMs} ms`)
  }

  // Its successor does not wait for that: the seat is free at once.
  async #endStalled(link: WorkerLink, message: string): Promise<void> {
    const patience = { ms: this.#settings.profileMs, timers: this.#deps.timers }
    const stack = await link.endStalled(message, patience)
    if (stack.length > 0) this.#deps.log.error({ worker: link.boot.index, frames: stack }, 'where a stalled worker was')
  }
}

function restartReason({ cause, isBuilding }: WorkerDeath): RestartReason {
  if (isBuilding) return 'publish'
  switch (cause) {
    case 'exception':
    case 'stall':
    case 'memory':
    case 'publish':
      return cause
    case 'silence':
      return 'stall'
    case 'exit':
    case 'listen':
    case 'stopped':
      return 'exit'
  }
}
