// Events of events.k8s.io/v1, best effort: nothing waits for one, and what cannot be written is counted (R30-25, R30-28).
import type { Clock } from '../lib/clock.ts'
import { messageOf, RamjetError } from '../lib/errors.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { ApiStatusError } from './api-errors.ts'
import { Backoff, READER_BACKOFF } from './backoff.ts'
import type { ApiWriter } from './client.ts'
import { cutNote } from './event-note.ts'
import { microTime } from './micro-time.ts'
import { collectionPath, type Resource } from './resource.ts'
import type { TokenBucket } from './token-bucket.ts'
import { waitFor } from './wait.ts'
import { Wake } from './wake.ts'

export const EVENTS: Resource = {
  group: 'events.k8s.io',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
}

/** The object that an Event is about, as the API server knows it. */
export interface EventSubject {
  readonly apiVersion: string
  readonly kind: string
  /** Absent on cluster-scoped objects. */
  readonly namespace?: string
  readonly name: string
  readonly uid: string
}

export interface EventInput {
  readonly regarding: EventSubject
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  /** What was done when it happened: a verb. */
  readonly action: string
  /** Cut to 1,024 bytes. */
  readonly note: string
}

export interface EventRecorderSettings {
  /** Events that may wait; what comes above is dropped. */
  readonly queueSize: number
  /** How long after a 403 nothing is written into that namespace. */
  readonly forbiddenMs: number
  readonly reportingController: string
  readonly reportingInstance: string
}

export interface EventRecorderDeps {
  readonly client: Pick<ApiWriter, 'post' | 'patch'>
  readonly settings: EventRecorderSettings
  /** Shared with everything else that writes. */
  readonly bucket: TokenBucket
  /** Throws where nothing may be written any more. */
  readonly check: () => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

/** An Event that was written, to which equal ones are added as a series. */
interface Written {
  readonly name: string
  readonly note: string
  count: number
}

interface Waiting {
  readonly input: EventInput
  /** Chosen once, so that trying again makes no second Event. */
  readonly name: string
}

/** Where Events about cluster-scoped objects lie (R30-24). */
const CLUSTER_SCOPED = 'default'

/** Writes Events one after the other. Several about one object with one reason that wait are one: the newest. */
export class EventRecorder {
  readonly #deps: EventRecorderDeps
  readonly #backoff: Backoff
  /** By object and reason, oldest first. */
  readonly #waiting = new Map<string, Waiting>()
  /** By object and reason, as many as may wait; oldest first. */
  readonly #written = new Map<string, Written>()
  /** Namespaces that may not be written into, and until when (monotonic). */
  readonly #forbidden = new Map<string, number>()
  #dropped = 0
  #names = 0
  readonly #wake = new Wake()

  constructor(deps: EventRecorderDeps) {
    this.#deps = deps
    this.#backoff = new Backoff(READER_BACKOFF, deps.random)
  }

  /** Events that were never written, ever: `ramjet_events_dropped_total`. */
  get dropped(): number {
    return this.#dropped
  }

  record(input: EventInput): void {
    const key = keyOf(input)
    if (!this.#waiting.has(key) && this.#waiting.size >= this.#deps.settings.queueSize) {
      this.#dropped += 1
      return
    }
    const note = cutNote(input.note)
    this.#waiting.set(key, { input: { ...input, note }, name: this.#waiting.get(key)?.name ?? this.#nameFor(input) })
    this.#wake.call()
  }

  /** Writes what is recorded until `signal` is aborted, and forgets what waits then. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const [first] = this.#waiting
      if (first) await this.#take(first, signal)
      else await this.#wake.wait(signal)
    }
    this.#waiting.clear()
  }

  async #take([key, waiting]: readonly [string, Waiting], signal: AbortSignal): Promise<void> {
    const { clock, timers, bucket } = this.#deps
    const namespace = namespaceOf(waiting.input)
    if ((this.#forbidden.get(namespace) ?? 0) > clock.monotonicMs()) {
      this.#drop(key)
      return
    }
    this.#forbidden.delete(namespace)
    await bucket.take(signal)
    // Meanwhile a newer one may have taken its place.
    const newest = this.#waiting.get(key) ?? waiting
    try {
      if (signal.aborted) return
      await this.#write(key, newest, signal)
      if (this.#waiting.get(key) === newest) this.#waiting.delete(key)
    } catch (error) {
      if (!signal.aborted) await waitFor(this.#failed(key, namespace, error), timers, signal)
    }
  }

  async #write(key: string, { input, name }: Waiting, signal: AbortSignal): Promise<void> {
    const before = this.#written.get(key)
    this.#written.delete(key)
    const written = before?.note === input.note && (await this.#addTo(before, input, signal))
    this.#remember(key, written || (await this.#create(name, input, signal)))
  }

  /** Counts one more of an Event that is there; `undefined`: it is gone by now. */
  async #addTo(before: Written, input: EventInput, signal: AbortSignal): Promise<Written | undefined> {
    const { client, clock, check } = this.#deps
    const count = before.count + 1
    const series = { count, lastObservedTime: microTime(clock.wallMs()) }
    try {
      await client.patch(`${pathOf(input)}/${before.name}`, { series }, { signal, check })
      return { ...before, count }
    } catch (error) {
      if (isStatus(error, 404)) return undefined
      throw error
    }
  }

  async #create(name: string, input: EventInput, signal: AbortSignal): Promise<Written> {
    const { client, clock, settings, check } = this.#deps
    const { reportingController, reportingInstance } = settings
    const { regarding, type, reason, action, note } = input
    const event = {
      apiVersion: 'events.k8s.io/v1',
      kind: EVENTS.kind,
      metadata: { name, namespace: namespaceOf(input) },
      eventTime: microTime(clock.wallMs()),
      reportingController,
      reportingInstance,
      regarding,
      type,
      reason,
      action,
      note,
    }
    try {
      await client.post(pathOf(input), event, { signal, check })
    } catch (error) {
      // An earlier try arrived, and its answer did not.
      if (!isStatus(error, 409)) throw error
    }
    return { name, note, count: 1 }
  }

  #remember(key: string, written: Written): void {
    this.#written.set(key, written)
    const [oldest] = this.#written.keys()
    if (this.#written.size > this.#deps.settings.queueSize && oldest !== undefined) this.#written.delete(oldest)
  }

  /** Milliseconds until the next one. Refused is dropped; what the server could not do is tried again. */
  #failed(key: string, namespace: string, error: unknown): number {
    const { clock, settings, log } = this.#deps
    const fields = error instanceof RamjetError ? { code: error.code, detail: messageOf(error) } : { err: error }
    const nowMs = clock.monotonicMs()
    if (!(error instanceof ApiStatusError) || error.status >= 500) {
      log.debug(fields, 'an Event cannot be written, trying again')
      return this.#backoff.delayMs(nowMs, error instanceof ApiStatusError ? error.retryAfterMs : 0)
    }
    this.#drop(key)
    if (error.status === 429) return this.#backoff.delayMs(nowMs, error.retryAfterMs)
    // A namespace that is going takes no new objects, and soon there is nobody left to tell (R70-98).
    const isGoing = error.causes.includes('NamespaceTerminating')
    if (error.status === 403) this.#forbidden.set(namespace, nowMs + settings.forbiddenMs)
    if (!isGoing) log.warn({ namespace, ...fields }, 'an Event was refused and is in the log alone')
    return 0
  }

  #drop(key: string): void {
    this.#waiting.delete(key)
    this.#dropped += 1
  }

  /** Names must differ over all replicas and over restarts. */
  #nameFor({ regarding }: EventInput): string {
    const { clock, random } = this.#deps
    this.#names += 1
    const tail = [clock.wallMs(), this.#names, Math.floor(random() * 2 ** 32)].map((part) => part.toString(16)).join('')
    // A long name may be cut behind a dot or a dash, with which no part of a DNS subdomain ends.
    return `${regarding.name.slice(0, 200).replace(/[.-]+$/, '')}.${tail}`
  }
}

function keyOf({ regarding, reason }: EventInput): string {
  return `${regarding.kind} ${regarding.uid} ${reason}`
}

function namespaceOf({ regarding }: EventInput): string {
  return regarding.namespace ?? CLUSTER_SCOPED
}

function pathOf(input: EventInput): string {
  return collectionPath(EVENTS, namespaceOf(input))
}

function isStatus(error: unknown, status: number): boolean {
  return error instanceof ApiStatusError && error.status === status
}
