// Which number each Ingress should carry, and whether it may be written (R30-33 to R30-36).
import type { Ingress } from '../api/networking.ts'
import { changedIngresses } from '../compiler/changed-ingresses.ts'
import type { Clock } from '../lib/clock.ts'
import type { Generation } from '../model/generation.ts'
import type { Warning } from '../model/warning.ts'
import { requestOf } from '../runtime/reconciler.ts'
import { Contests } from './contests.ts'
import { OBSERVED_GENERATION } from './written-fields.ts'

export type ObservedGenerationMode = 'auto' | 'all' | 'changed'

export interface ObservedGenerationsDeps {
  /** `--observed-generation`. */
  readonly mode: ObservedGenerationMode
  /** How long a strip counts. */
  readonly contestWindowMs: number
  readonly clock: Clock
}

/** A number with the digest that it stands for: what was written, and what the Lease remembers (R30-15). */
export interface NumberedDigest {
  readonly number: number
  readonly digest: string
}

/** Ingresses that a number is to be written onto, by `namespace/name`. */
export interface DueIngresses {
  readonly all: ReadonlySet<string>
  /** Of those the ones whose own routes changed, or which are served anew: they go first (R30-31). */
  readonly own: ReadonlySet<string>
}

const NOTHING_DUE: DueIngresses = { all: new Set(), own: new Set() }
/** `all` on more Ingresses than this would be more writes for each change than the cluster should bear. */
const FEW_INGRESSES = 200
/** No process numbers so many generations; a text that says more is no number of ours. */
export const HIGHEST_NUMBER: number = 1e12
/** How far above what the Lease remembers a leader can have written: so many generations, and never a quiet moment. */
const MAX_AHEAD = 1e6
/** The same where nothing is remembered: a generation a second for thirty years. */
const MAX_UNNOTED = 1e9

/** The number that an Ingress carries; `undefined`: none that we could have written. */
export function observedGenerationOf({ metadata }: Ingress): number | undefined {
  const text = metadata.annotations?.[OBSERVED_GENERATION]
  const number = text !== undefined && /^\d{1,13}$/.test(text) ? Number(text) : Number.NaN
  return number <= HIGHEST_NUMBER ? number : undefined
}

/**
 * The highest number that another leader can have written onto an Ingress, by what the Lease says it noted last. Whoever
 * may edit an Ingress may write the annotation, and what is above is not believed: it would raise the numbers of all.
 */
export function highestBelieved(noted: NumberedDigest | undefined): number {
  return noted === undefined ? MAX_UNNOTED : noted.number + MAX_AHEAD
}

/** Of one time of leading: what every Ingress should say, what it is known to say, and who takes it away again. */
export class ObservedGenerations {
  readonly #deps: ObservedGenerationsDeps
  readonly #contests: Contests
  /** By `namespace/name`, of those that anything has to be written to in this term. */
  readonly #desired = new Map<string, number>()
  /** What we know to have been written. */
  readonly #written = new Map<string, number>()
  /** What was sent, whether it arrived or not. */
  readonly #sent = new Map<string, number>()
  /** Not known yet to say what they should. */
  readonly #unsettled = new Set<string>()
  /** Stripped, and changed by somebody since: may be written again. */
  readonly #repeatable = new Set<string>()
  #newest: Generation | undefined
  #number = 0
  #included: ReadonlySet<string> = new Set()

  constructor(deps: ObservedGenerationsDeps) {
    this.#deps = deps
    this.#contests = new Contests(deps)
  }

  /** What everything was written for; `undefined`: something is still to be written. */
  get settled(): NumberedDigest | undefined {
    if (this.#unsettled.size > 0 || !this.#newest) return undefined
    return { number: this.#number, digest: this.#newest.digest }
  }

  /** Warnings about Ingresses on which we gave in. */
  warnings(): readonly Warning[] {
    return this.#contests.lost().map((key) => ({
      reason: 'ObservedGenerationContested',
      object: { kind: 'Ingress', ...requestOf(key) },
      field: OBSERVED_GENERATION,
      message: `${OBSERVED_GENERATION} was taken away three times within 5 minutes; it is no longer written here`,
    }))
  }

  /**
   * Begins a term. `base` is what was written before, if it is known: of the digest that is compiled now nothing is
   * written again; from one whose table is kept only what changed since. Gives the Ingresses to look at.
   */
  begin(newest: Generation, included: ReadonlySet<string>, base: Base): DueIngresses {
    this.#newest = newest
    this.#included = included
    this.#number = newest.digest === base.noted?.digest ? base.noted.number : newest.number
    if (newest.digest === base.noted?.digest) return NOTHING_DUE
    const kept = base.kept.find(({ digest }) => digest === base.noted?.digest)
    const own = kept ? changedIngresses(kept.routes, newest.routes) : new Set<string>()
    return this.#want(kept && !this.#isAll ? own : included, own)
  }

  /** Takes in a compile. Gives the Ingresses to look at. */
  compiled(newest: Generation, included: ReadonlySet<string>): DueIngresses {
    const [before, was] = [this.#newest, this.#included]
    if (!before || (before.digest === newest.digest && was === included)) return NOTHING_DUE
    this.#newest = newest
    this.#included = included
    for (const key of was) if (!included.has(key)) this.#forget(key)
    const added = new Set([...included].filter((key) => !was.has(key)))
    if (before.digest === newest.digest) return this.#want(added, added)
    this.#number = newest.number
    const own = new Set([...changedIngresses(before.routes, newest.routes), ...added])
    return this.#want(this.#isAll ? included : own, own)
  }

  /** The number to be written onto `ingress`; `undefined`: nothing is. */
  wanted(key: string, ingress: Ingress): number | undefined {
    const desired = this.#desired.get(key)
    if (desired === undefined || this.#contests.isLost(key)) return this.#settle(key)
    if (ingress.metadata.annotations?.[OBSERVED_GENERATION] === String(desired)) {
      this.#written.set(key, desired)
      return this.#settle(key)
    }
    // Somebody took it away. It waits for the next change of that Ingress, so that no fight begins.
    if (this.#written.get(key) === desired && !this.#repeatable.has(key)) return this.#settle(key)
    return desired
  }

  /** `number` is about to be written; whether it was may never be known. */
  sending(key: string, number: number): void {
    this.#sent.set(key, number)
  }

  /** `number` is on the Ingress now. */
  wrote(key: string, number: number): void {
    this.#written.set(key, number)
    this.#repeatable.delete(key)
    if (this.#desired.get(key) === number) this.#settle(key)
  }

  /** An Ingress changed; `isEdited`: in more than what we write. True: with this change a contest was lost. */
  changed(key: string, { before, after, isEdited }: IngressChange): boolean {
    if (isEdited) this.#repeatable.add(key)
    const written = this.#written.get(key)
    if (written === undefined || observedGenerationOf(before) !== written) return false
    const number = observedGenerationOf(after)
    if (number === written || (number !== undefined && number === this.#sent.get(key))) return false
    return this.#contests.stripped(key)
  }

  /** There is no such Ingress any more. */
  gone(key: string): void {
    this.#forget(key)
    this.#contests.forget(key)
  }

  get #isAll(): boolean {
    const { mode } = this.#deps
    return mode === 'all' || (mode === 'auto' && this.#included.size <= FEW_INGRESSES)
  }

  #want(keys: ReadonlySet<string>, own: ReadonlySet<string>): DueIngresses {
    const all = new Set([...keys].filter((key) => this.#included.has(key)))
    for (const key of all) {
      this.#desired.set(key, this.#number)
      this.#unsettled.add(key)
    }
    return { all, own: new Set([...own].filter((key) => all.has(key))) }
  }

  #settle(key: string): undefined {
    this.#unsettled.delete(key)
  }

  #forget(key: string): void {
    this.#settle(key)
    for (const known of [this.#desired, this.#written, this.#sent, this.#repeatable]) known.delete(key)
  }
}

export interface IngressChange {
  readonly before: Ingress
  readonly after: Ingress
  /** Whether more changed than what we write ourselves. */
  readonly isEdited: boolean
}

/** What is known of the terms before. */
export interface Base {
  /** What the Lease says was written; `undefined`: nothing, or there is no Lease. */
  readonly noted: NumberedDigest | undefined
  /** The generations that this replica keeps. */
  readonly kept: readonly Generation[]
}
