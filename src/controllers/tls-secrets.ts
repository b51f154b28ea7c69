// The Secrets that TLS entries name, with what they held before (R21-14, R30-6).
import type { DataObject } from '../api/core.ts'
import { usableOf } from '../compiler/server-name.ts'
import type { TlsSecret } from '../compiler/snapshot.ts'
import type { Clock } from '../lib/clock.ts'
import { err } from '../lib/result.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Certificate } from '../model/certificate-table.ts'
import { type ObjectRef, refOf } from '../model/object-ref.ts'
import type { Lister } from '../runtime/lister.ts'
import type { DirtyMarker } from './compile-loop.ts'
import { TlsSecretReading } from './read-tls-secret.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import type { WantedLook } from './wanted-objects.ts'

export interface TlsSecretsDeps {
  /** Those of the type kubernetes.io/tls that may be listed. */
  readonly listed: Pick<Lister<DataObject>, 'get'>
  /** The others, each read by its name. */
  readonly named: {
    /** Makes these all that is read by name for TLS. */
    want(objects: readonly ObjectRef[]): void
    look(ref: ObjectRef): WantedLook
  }
  readonly snapshots: Pick<SnapshotStore, 'tlsSecrets'>
  readonly loop: DirtyMarker
  /** `--certificate-grace`: how long a Secret that was deleted serves on. */
  readonly graceMs: number
  readonly clock: Clock
  readonly timers: Timers
}

/** The longest wait of one timer: a clock that was set meanwhile is seen then. */
const MAX_WAIT_MS = 3_600_000

/**
 * Keeps the TLS Secrets of the snapshot as the cluster has them, and of those that a compile uses the last pair that
 * could serve: for as long as newer material cannot, and of a deleted Secret until the pair expires or the grace ends.
 */
export class TlsSecrets {
  readonly #deps: TlsSecretsDeps
  /** By key, when it was found that it is gone (monotonic); only where a last good pair is kept. */
  readonly #goneAtMs = new Map<string, number>()
  /** Of those that are used the ones that no list delivers. */
  readonly #unlisted = new Set<string>()
  #used: ReadonlySet<string> = new Set()
  #cancelTimer: Cancel | undefined

  constructor(deps: TlsSecretsDeps) {
    this.#deps = deps
  }

  /** Makes these (`namespace/name`) all that the last compile uses: what is kept beyond the cluster is theirs alone. */
  use(keys: ReadonlySet<string>): void {
    if (keys === this.#used) return
    const before = this.#used
    this.#used = keys
    for (const key of before) if (!keys.has(key)) this.#letGo(key)
    const added = [...keys].filter((key) => !before.has(key))
    this.#noteUnlisted([...before, ...added])
    for (const key of added) this.look(key)
    this.#schedule()
  }

  /** Reads the Secret `key` again: it may be another one now. */
  look(key: string, receivedAtMs?: number): void {
    const { snapshots, loop } = this.#deps
    const isUsed = this.#used.has(key)
    this.#noteUnlisted([key])
    const next = this.#read(key, snapshots.tlsSecrets.get(key))
    if (next === 'unread' || !snapshots.tlsSecrets.put(key, next)) return
    if (isUsed) loop.markDirty({ kind: 'all' }, receivedAtMs)
    this.#schedule()
  }

  stop(): void {
    this.#cancelTimer?.()
  }

  #read(key: string, before: TlsSecret | undefined): TlsSecret | undefined | 'unread' {
    const isUsed = this.#used.has(key)
    const object = this.#deps.listed.get(key)
    const found: WantedLook = object ? { kind: 'object', object } : this.#lookNamed(key)
    switch (found.kind) {
      case 'unread':
        return isUsed ? found.kind : undefined
      case 'object':
        this.#goneAtMs.delete(key)
        if (before instanceof TlsSecretReading && before.holds(found.object)) return before
        return new TlsSecretReading(found.object, isUsed ? usableOf(before) : undefined)
      case 'missing':
      case 'forbidden':
        return isUsed ? this.#gone(key, before, found.kind) : undefined
    }
  }

  #lookNamed(key: string): WantedLook {
    return this.#used.has(key) ? this.#deps.named.look(refOf('Secret', key)) : { kind: 'unread' }
  }

  #gone(key: string, before: TlsSecret | undefined, why: 'missing' | 'forbidden'): TlsSecret {
    const problem = why === 'missing' ? 'does not exist' : 'may not be read'
    if (before && !before.current.ok && before.current.error === problem) return before
    const lastGood = usableOf(before)
    if (lastGood && !this.#goneAtMs.has(key)) this.#goneAtMs.set(key, this.#deps.clock.monotonicMs())
    return { current: err(problem), isOpaque: false, lastGood: lastGood && this.#unlessOver(key, lastGood) }
  }

  #unlessOver(key: string, lastGood: Certificate): Certificate | undefined {
    if (this.#leftMs(key, lastGood) > 0) return lastGood
    this.#goneAtMs.delete(key)
    return undefined
  }

  #leftMs(key: string, { notAfterMs }: Certificate): number {
    const { clock, graceMs } = this.#deps
    const goneAtMs = this.#goneAtMs.get(key) ?? clock.monotonicMs()
    return Math.min(goneAtMs + graceMs - clock.monotonicMs(), notAfterMs - clock.wallMs())
  }

  #letGo(key: string): void {
    this.#goneAtMs.delete(key)
    const object = this.#deps.listed.get(key)
    // Nobody looks at it any more, so nothing has to be compiled for this.
    this.#deps.snapshots.tlsSecrets.put(key, object && new TlsSecretReading(object, undefined))
  }

  #noteUnlisted(keys: readonly string[]): void {
    const changed = keys.filter((key) => {
      const isUnlisted = this.#used.has(key) && !this.#deps.listed.get(key)
      if (isUnlisted === this.#unlisted.has(key)) return false
      if (isUnlisted) this.#unlisted.add(key)
      else this.#unlisted.delete(key)
      return true
    })
    if (changed.length > 0) this.#deps.named.want([...this.#unlisted].map((key) => refOf('Secret', key)))
  }

  #schedule(): void {
    const { timers, snapshots } = this.#deps
    this.#cancelTimer?.()
    this.#cancelTimer = undefined
    const left = [...this.#goneAtMs.keys()].flatMap((key) => {
      const lastGood = snapshots.tlsSecrets.get(key)?.lastGood
      return lastGood ? [this.#leftMs(key, lastGood)] : []
    })
    if (left.length === 0) return
    const waitMs = Math.max(
      0,
      left.reduce((least, ms) => Math.min(least, ms), MAX_WAIT_MS),
    )
    this.#cancelTimer = timers.after(waitMs, () => this.#endGraces())
  }

  #endGraces(): void {
    const { snapshots, loop } = this.#deps
    for (const key of this.#goneAtMs.keys()) {
      const secret = snapshots.tlsSecrets.get(key)
      if (!secret?.lastGood || this.#unlessOver(key, secret.lastGood)) continue
      snapshots.tlsSecrets.put(key, { ...secret, lastGood: undefined })
      loop.markDirty({ kind: 'all' })
    }
    this.#schedule()
  }
}
