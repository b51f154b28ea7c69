import type { LeaseRecord } from './lease.ts'
import { isOlderVersion } from './trouble.ts'

export interface LeaseSightSettings {
  readonly identity: string
  /** Of a Lease that says none. */
  readonly durationMs: number
}

/**
 * What one replica has seen of the Lease, and since when it has not seen it change: expiry is judged by that alone, on
 * our own monotonic clock, and never by times that another clock wrote (R30-43, R70-88).
 */
export class LeaseSight {
  readonly #settings: LeaseSightSettings
  /** What the next write is based on; `undefined`: there is none, or nobody has looked yet. */
  #lease: LeaseRecord | undefined
  /** Who held it when it was last seen, a Lease that was deleted since included. */
  #holder: string | undefined
  #durationMs = 0
  /** When it was seen to change (monotonic); `undefined`: nobody has looked yet. */
  #changedAtMs: number | undefined

  constructor(settings: LeaseSightSettings) {
    this.#settings = settings
  }

  get lease(): LeaseRecord | undefined {
    return this.#lease
  }

  get isOurs(): boolean {
    return this.#holder === this.#settings.identity
  }

  /** What a read gave, which is how things are; `undefined`: there is no Lease. */
  read(lease: LeaseRecord | undefined, nowMs: number): void {
    if (lease) this.#take(lease, nowMs)
    else this.gone()
  }

  /** What a watch told, which may have been overtaken by what we wrote or read since. */
  watched(lease: LeaseRecord, nowMs: number): void {
    if (this.#lease && isOlderVersion(lease.version, this.#lease.version)) return
    this.#take(lease, nowMs)
  }

  /** What we wrote ourselves, sent at `sentAtMs`. */
  wrote(lease: LeaseRecord, sentAtMs: number): void {
    this.#take(lease, sentAtMs)
  }

  /** There is no Lease any more. Its last holder does not know yet, and counts on it until it would have run out. */
  gone(): void {
    this.#lease = undefined
    this.#changedAtMs ??= Number.NEGATIVE_INFINITY
  }

  /** Whether we may try to take or renew it. */
  isTakeable(nowMs: number): boolean {
    return this.#changedAtMs !== undefined && this.expiresInMs(nowMs) <= 0
  }

  /** Milliseconds until whoever holds it cannot count on it any more; 0 or less: now. */
  expiresInMs(nowMs: number): number {
    if (this.#holder === undefined || this.isOurs) return 0
    return (this.#changedAtMs ?? nowMs) + this.#durationMs - nowMs
  }

  #take(lease: LeaseRecord, nowMs: number): void {
    const isSame = this.#lease?.version === lease.version
    this.#lease = lease
    this.#holder = lease.holder
    this.#durationMs = lease.durationMs ?? this.#settings.durationMs
    if (!isSame || this.#changedAtMs === undefined) this.#changedAtMs = nowMs
  }
}
