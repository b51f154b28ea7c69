// Which replica writes: one Lease, taken and renewed by optimistic locking, judged by our own monotonic clock (R30-40).
import type { Clock } from '../lib/clock.ts'
import { messageOf, RamjetError } from '../lib/errors.ts'
import type { Random } from '../lib/random.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { ApiStatusError } from './api-errors.ts'
import type { ApiReader, ApiWriter } from './client.ts'
import { deadlineUnder } from './deadline.ts'
import { LeaseClient, type LeasePlace, type LeaseRecord } from './lease.ts'
import { LeaseSight } from './lease-sight.ts'
import { LeaseWatch } from './lease-watch.ts'
import type { Runnable } from './manager.ts'
import { waitFor } from './wait.ts'

export interface LeaderElectionSettings extends LeasePlace {
  /** Who we are in the Lease: no two processes may ever have the same one. */
  readonly identity: string
  /** For how long a lease that is not renewed keeps others away. Whole seconds, above `renewMs`. */
  readonly durationMs: number
  /** How long after its last renewal the leader still writes. Above `retryMs`. */
  readonly renewMs: number
  /** Between two renewals, and between two tries of a candidate. */
  readonly retryMs: number
  /** How often a candidate asks again that may not. */
  readonly askAgainMs: number
  /** How long giving the lease back may take. */
  readonly releaseMs: number
}

export interface LeaderElectionDeps {
  /** On connections of its own, so that nothing can keep a renewal waiting (R50-7). */
  readonly client: ApiReader & ApiWriter
  readonly settings: LeaderElectionSettings
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
  /** Called when this replica begins to lead. */
  readonly onLead: (term: Term) => void
}

/** One time of leading, from taking the lease to losing it or giving it back. */
export interface Term {
  /** Aborted when the term is over: what is under way must end. */
  readonly signal: AbortSignal
  /** What the Lease says under an annotation when the term begins; `undefined`: nothing. */
  noted(annotation: string): string | undefined
}

/** Whoever decides whether this replica writes. */
export interface Leadership {
  readonly isLeading: boolean
  /** To be asked directly before each write (R30-32). */
  mayWrite(): boolean
}

/** A write was not sent, or was cut, because another replica may lead by now. */
export class NotLeadingError extends RamjetError {
  readonly code = 'RAMJET_NOT_LEADING'
}

interface CurrentTerm {
  readonly controller: AbortController
  /** When the renewal that holds was sent (monotonic): nobody can have seen it earlier than that. */
  renewedAtMs: number
  cancelDeadline: Cancel
}

/**
 * Takes the Lease when nobody has it or its holder let it run out, and renews it. Whoever could not renew it within the
 * renew deadline has stopped to lead before anyone else can begin. Never throws and never ends the process (R30-43).
 */
export class LeaderElection implements Leadership, Runnable {
  readonly name = 'leader election'
  readonly #deps: LeaderElectionDeps
  readonly #lease: LeaseClient
  readonly #sight: LeaseSight
  readonly #watch: LeaseWatch
  readonly #notes = new Map<string, string>()
  #term: CurrentTerm | undefined
  /** What we hold of the Lease may be out of date: read it before anything is written. */
  #mustRead = true
  /** A write was sent and its outcome is not known. */
  #isOpen = false
  /** What went wrong was looked into at once, so the next time it waits. */
  #hasHurried = false
  #trouble = ''
  #wake: () => void = () => {}

  constructor(deps: LeaderElectionDeps) {
    const { client, settings, clock } = deps
    this.#deps = deps
    this.#lease = new LeaseClient(client, settings)
    this.#sight = new LeaseSight(settings)
    this.#watch = new LeaseWatch({
      ...deps,
      place: settings,
      onLease: (lease) => this.#look(() => this.#sight.watched(lease, clock.monotonicMs())),
      onGone: () => {
        this.#look(() => this.#sight.gone())
        // Whoever comes anew finds no lease and takes it: ours has to be there again before.
        if (this.#term) this.#wake()
      },
    })
  }

  get isLeading(): boolean {
    return this.mayWrite()
  }

  mayWrite(): boolean {
    const term = this.#term
    if (!term) return false
    if (this.#deps.clock.monotonicMs() - term.renewedAtMs < this.#deps.settings.renewMs) return true
    this.#lose('the lease was not renewed in time')
    return false
  }

  /** Has the Lease say this under an annotation from its next renewal on, for as long as we hold it. */
  note(annotation: string, value: string): void {
    this.#notes.set(annotation, value)
  }

  /** Stands for election until `signal` is aborted, and then gives the lease back. */
  async run(signal: AbortSignal): Promise<void> {
    const watching = this.#watch.run(signal)
    while (!signal.aborted) {
      const pauseMs = await this.#attempt(signal)
      await this.#pause(pauseMs, signal)
    }
    await watching
    await this.#release()
  }

  /** One read, one write, or nothing; gives the milliseconds until the next attempt. */
  async #attempt(signal: AbortSignal): Promise<number> {
    try {
      if (this.#mustRead || (!this.#term && !this.#watch.isLive)) await this.#read(signal)
      if (this.#term || this.#sight.isTakeable(this.#deps.clock.monotonicMs())) await this.#write(signal)
      this.#works()
      return this.#untilNext()
    } catch (error) {
      return signal.aborted ? 0 : this.#failed(error)
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const lease = await this.#lease.read(signal)
    this.#mustRead = false
    this.#look(() => this.#sight.read(lease, this.#deps.clock.monotonicMs()))
  }

  /** Takes the lease, or renews it. */
  async #write(signal: AbortSignal): Promise<void> {
    const { clock, settings } = this.#deps
    const base = this.#sight.lease
    const isNew = base?.holder !== settings.identity
    const sentAtMs = clock.monotonicMs()
    this.#isOpen = true
    const lease = await this.#lease.write(
      base,
      {
        holder: settings.identity,
        durationMs: settings.durationMs,
        transitions: (base?.transitions ?? 0) + (base !== undefined && isNew ? 1 : 0),
        acquiredAtWallMs: isNew ? clock.wallMs() : undefined,
        renewedAtWallMs: clock.wallMs(),
        annotations: this.#notes,
      },
      signal,
    )
    this.#isOpen = false
    this.#sight.wrote(lease, sentAtMs)
    if (!signal.aborted) this.#renewed(lease, sentAtMs)
  }

  #renewed(lease: LeaseRecord, sentAtMs: number): void {
    const { clock, timers, settings } = this.#deps
    const leftMs = sentAtMs + settings.renewMs - clock.monotonicMs()
    // The answer came so late that it proves nothing any more; the next attempt is due at once.
    if (leftMs <= 0) return
    const term = this.#term ?? this.#begin(lease, sentAtMs)
    term.renewedAtMs = sentAtMs
    term.cancelDeadline()
    term.cancelDeadline = timers.after(leftMs, () => void this.mayWrite())
  }

  #begin(lease: LeaseRecord, sentAtMs: number): CurrentTerm {
    const term = { controller: new AbortController(), renewedAtMs: sentAtMs, cancelDeadline: () => {} }
    this.#term = term
    const { name, namespace } = this.#deps.settings
    this.#deps.log.info({ lease: `${namespace}/${name}`, transitions: lease.transitions }, 'leading')
    this.#deps.onLead({ signal: term.controller.signal, noted: (annotation) => lease.annotations.get(annotation) })
    return term
  }

  #lose(why: string): void {
    const term = this.#term
    if (!term) return
    this.#term = undefined
    this.#notes.clear()
    term.cancelDeadline()
    this.#deps.log.info({ detail: why }, 'no longer leading')
    term.controller.abort(new NotLeadingError(why))
  }

  /** Takes in news of the Lease, and acts on what they mean for us. */
  #look(take: () => void): void {
    take()
    if (this.#term && !this.#sight.isOurs) this.#lose('another replica holds the lease')
    if (!this.#term && this.#sight.isTakeable(this.#deps.clock.monotonicMs())) this.#wake()
  }

  #untilNext(): number {
    const { settings, clock } = this.#deps
    if (this.#term || !this.#watch.isLive) return settings.retryMs
    return Math.max(0, this.#sight.expiresInMs(clock.monotonicMs()))
  }

  #works(): void {
    if (this.#trouble !== '') this.#deps.log.info({}, 'the lease can be had again')
    this.#trouble = ''
    this.#hasHurried = false
  }

  /** Milliseconds until the next attempt. Whatever came of a write that failed, its outcome is read (R70-89). */
  #failed(error: unknown): number {
    const { settings, random } = this.#deps
    this.#mustRead = true
    const status = error instanceof ApiStatusError ? error.status : undefined
    // Somebody was faster, or the Lease was deleted: no fault, and what is there now can be read at once.
    if ((status === 409 || status === 404) && !this.#hasHurried) {
      this.#hasHurried = true
      return 0
    }
    this.#tell(error, status === undefined ? 'unreachable' : `status ${status}`)
    if (status === 403 && !this.#term) return settings.askAgainMs
    const retryAfterMs = error instanceof ApiStatusError ? error.retryAfterMs : 0
    return Math.max(settings.retryMs * (0.9 + 0.2 * random()), retryAfterMs)
  }

  #tell(error: unknown, trouble: string): void {
    const fields = error instanceof RamjetError ? { code: error.code, detail: messageOf(error) } : { err: error }
    if (trouble === this.#trouble) this.#deps.log.debug(fields, 'the lease cannot be had')
    else this.#deps.log.warn(fields, 'the lease cannot be had, trying again')
    this.#trouble = trouble
  }

  async #pause(ms: number, signal: AbortSignal): Promise<void> {
    if (ms <= 0) return
    const woken = new AbortController()
    this.#wake = () => woken.abort()
    await waitFor(ms, this.#deps.timers, AbortSignal.any([signal, woken.signal]))
    this.#wake = () => {}
  }

  /** Whoever is next need not wait for the lease to run out (R30-44). */
  async #release(): Promise<void> {
    const { settings, timers, log } = this.#deps
    const notes = new Map(this.#notes)
    const held = this.#isOpen || this.#sight.isOurs
    this.#lose('shutting down')
    if (!held) return
    const error = (): Error => new NotLeadingError(`the lease was not given back within ${settings.releaseMs} ms`)
    const deadline = deadlineUnder(new AbortController().signal, { ms: settings.releaseMs, timers, error })
    try {
      await this.#giveBack(notes, deadline.signal)
    } catch (failure) {
      log.warn({ detail: messageOf(failure) }, 'the lease runs out by itself')
    } finally {
      deadline.clear()
    }
  }

  async #giveBack(notes: ReadonlyMap<string, string>, signal: AbortSignal): Promise<void> {
    // A renewal that was cut may have been carried out, so what is there now is read first.
    const base = await this.#lease.read(signal)
    const { clock, settings } = this.#deps
    if (base?.holder !== settings.identity) return
    const renewedAtWallMs = clock.wallMs()
    const fields = { durationMs: 1000, transitions: base.transitions, renewedAtWallMs, annotations: notes }
    await this.#lease.write(base, { ...fields, holder: undefined, acquiredAtWallMs: undefined }, signal)
    this.#deps.log.info({}, 'gave the lease back')
  }
}
