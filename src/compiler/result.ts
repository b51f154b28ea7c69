import type { Tables } from '../model/generation.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import type { ClassVerdict } from './classes.ts'
import type { Memo } from './memo.ts'

/** What the caches must hold for the next compile (R30-2). */
export interface Wanted {
  /** Secrets and ConfigMaps that something names and that no list delivers. */
  readonly objects: readonly ObjectRef[]
  /** `namespace/name` of the Secrets that serve by TLS or are meant to, listed or not. */
  readonly tlsSecrets: ReadonlySet<string>
  /** Names of the backends whose endpoints are compiled. */
  readonly backends: ReadonlySet<string>
  /** By Service (`namespace/name`) the external name to resolve for it, of those backends. */
  readonly externalNames: ReadonlyMap<string, string>
}

/** The whole outcome of one compile; a compile cannot fail (R10-48). */
export interface CompileResult {
  readonly tables: Tables
  readonly warnings: readonly Warning[]
  readonly wanted: Wanted
  /** To be handed to the next compile. */
  readonly memo: Memo
  /** `namespace/name` of the Ingresses that are ours (R10-5). */
  readonly claimed: ReadonlySet<string>
  /** Of those the ones that the tables are made of; the others were dropped, and warnings say why. */
  readonly included: ReadonlySet<string>
  /** What became of every IngressClass, by name. */
  readonly classes: ReadonlyMap<string, ClassVerdict>
}
