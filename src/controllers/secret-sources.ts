// Every Secret and ConfigMap that is read: those of TLS by their type, the others by name (R30-1, R30-2, R70-15).
import type { DataObject } from '../api/core.ts'
import type { Wanted } from '../compiler/result.ts'
import { wantedKey } from '../compiler/wanted-key.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import { keyOf, type ObjectRef } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiReader } from '../runtime/client.ts'
import type { Lister } from '../runtime/lister.ts'
import type { Runnable } from '../runtime/manager.ts'
import type { DirtyMarker } from './compile-loop.ts'
import { SECRETS } from './kinds.ts'
import type { SnapshotStore } from './snapshot-store.ts'
import { TlsSecrets } from './tls-secrets.ts'
import { type WantedLook, WantedObjects, type WantedObjectsSettings } from './wanted-objects.ts'

export interface SecretSettings {
  /** `--certificate-grace`. */
  readonly certificateGraceMs: number
  /** `--default-tls-secret`: read in any namespace. */
  readonly defaultTlsSecret?: ObjectRef | undefined
  /** `--ticket-key-secret`: the same. */
  readonly ticketKeySecret?: ObjectRef | undefined
}

export interface SecretSourcesDeps {
  readonly client: ApiReader
  /** Secrets of the type kubernetes.io/tls. */
  readonly listed: Pick<Lister<DataObject>, 'get'>
  readonly settings: SecretSettings & Omit<WantedObjectsSettings, 'anywhere'>
  readonly snapshots: SnapshotStore
  readonly loop: DirtyMarker
  readonly classes: () => readonly ObjectRef[]
  /** `warnings()` says something else now. */
  readonly onStatus: () => void
  /** What is known of the Secret of the ticket keys, each time that it may be something else. */
  readonly onTicketKeys: (look: WantedLook) => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

/** Joins what is listed with what is read by name. */
export class SecretSources {
  readonly #deps: SecretSourcesDeps
  readonly #objects: WantedObjects
  readonly #tls: TlsSecrets

  constructor(deps: SecretSourcesDeps) {
    this.#deps = deps
    const { defaultTlsSecret, ticketKeySecret } = deps.settings
    const ofFlags = [defaultTlsSecret, ticketKeySecret].filter((ref) => ref !== undefined)
    this.#objects = new WantedObjects({
      ...deps,
      settings: { ...deps.settings, anywhere: new Set(ofFlags.map(wantedKey)) },
      onObject: (ref, receivedAtMs) => this.#changed(ref, receivedAtMs),
    })
    this.#tls = new TlsSecrets({
      ...deps,
      named: { want: (refs) => this.#objects.want('tls', refs), look: (ref) => this.#objects.look(ref) },
      graceMs: deps.settings.certificateGraceMs,
    })
    if (ticketKeySecret) this.#objects.want('flags', [ticketKeySecret])
  }

  /** What reads by name, to be run as long as the cluster is read. */
  get reading(): Runnable {
    return this.#objects
  }

  /** Makes these all that is read beyond the list: what the last compile wants. */
  want({ objects, tlsSecrets }: Pick<Wanted, 'objects' | 'tlsSecrets'>): void {
    this.#tls.use(tlsSecrets)
    this.#objects.want('compile', objects)
  }

  /** The listed Secret `key` may be another one now. */
  look(key: string, receivedAtMs?: number): void {
    this.#tls.look(key, receivedAtMs)
  }

  /** Resolves when all that is wanted now was read once, or could not be, or after `ms`. */
  readAll(ms: number): Promise<void> {
    return this.#objects.readAll(ms)
  }

  warnings(): readonly Warning[] {
    return this.#objects.warnings()
  }

  stop(): void {
    this.#tls.stop()
  }

  #changed(ref: ObjectRef, receivedAtMs: number | undefined): void {
    if (ref.kind !== SECRETS.kind) return
    const { settings, onTicketKeys } = this.#deps
    const { ticketKeySecret } = settings
    if (ticketKeySecret && keyOf(ticketKeySecret) === keyOf(ref)) onTicketKeys(this.#objects.look(ref))
    this.#tls.look(keyOf(ref), receivedAtMs)
  }
}
