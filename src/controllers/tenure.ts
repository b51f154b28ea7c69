// What this replica writes onto Ingresses during one term of leading.
import type { Ingress } from '../api/networking.ts'
import type { Clock } from '../lib/clock.ts'
import type { Generation } from '../model/generation.ts'
import type { Warning } from '../model/warning.ts'
import type { Term } from '../runtime/leader-election.ts'
import type { Lister } from '../runtime/lister.ts'
import { type IngressPart, IngressWriter, type IngressWriterDeps } from './ingress-writer.ts'
import {
  type DueIngresses,
  HIGHEST_NUMBER,
  highestBelieved,
  type IngressChange,
  type NumberedDigest,
  type ObservedGenerationMode,
  ObservedGenerations,
  observedGenerationOf,
} from './observed-generations.ts'
import { CONFIGURATION } from './written-fields.ts'
import { generationPart } from './written-parts.ts'

/** The generations of this process, and their numbers. */
export interface Numbering {
  /** Compiled last; `undefined`: nothing yet. */
  newest(): Generation | undefined
  kept(): readonly Generation[]
  /** Numbers what comes above `highest`, and the newest generation too unless it is to keep its number (R30-15). */
  raiseNumberTo(highest: number, options?: { readonly keepNewest?: boolean }): Promise<void>
}

/** Of the last compile. */
export interface CompiledIngresses {
  /** `namespace/name` of what is ours. */
  readonly claimed: ReadonlySet<string>
  /** Of those what the generation is made of. */
  readonly included: ReadonlySet<string>
}

export interface TenureDeps extends Omit<IngressWriterDeps, 'onIdle' | 'parts'> {
  readonly term: Term
  readonly numbering: Numbering
  readonly lister: Lister<Ingress>
  /** `undefined`: nothing was compiled yet. */
  readonly compiled: () => CompiledIngresses | undefined
  readonly mode: ObservedGenerationMode
  readonly contestWindowMs: number
  /** Writes addresses. */
  readonly addresses: IngressPart
  /** Has the Lease remember something. */
  readonly note: (annotation: string, value: string) => void
  /** `warnings()` says something else now. */
  readonly onWarnings: () => void
  readonly clock: Clock
}

/** Begins when a term begins and something was compiled, and ends with the term. */
export class Tenure {
  readonly #deps: TenureDeps
  readonly #observed: ObservedGenerations
  readonly #writer: IngressWriter
  #hasBegun = false
  #noted: string | undefined

  constructor(deps: TenureDeps) {
    this.#deps = deps
    this.#observed = new ObservedGenerations(deps)
    const parts = [generationPart(this.#observed), deps.addresses]
    this.#writer = new IngressWriter({ ...deps, parts, onIdle: () => this.#noteSettled() })
    this.#noted = deps.term.noted(CONFIGURATION)
  }

  warnings(): readonly Warning[] {
    return this.#observed.warnings()
  }

  get isIdle(): boolean {
    return this.#writer.isIdle
  }

  /** Writes until the term is over, or what was in hand after `halt` has ended. Something must have been compiled. */
  async run(): Promise<void> {
    const { term } = this.#deps
    await this.#begin()
    if (!term.signal.aborted) await this.#writer.run(term.signal)
  }

  halt(): void {
    this.#writer.halt()
  }

  /** There is a new compile. */
  compiled(): void {
    const { numbering, compiled } = this.#deps
    const [newest, now] = [numbering.newest(), compiled()]
    if (!this.#hasBegun || !newest || !now) return
    this.#due(this.#observed.compiled(newest, now.included))
    this.#noteSettled()
  }

  changed(key: string, change: IngressChange): void {
    const isLost = this.#observed.changed(key, change)
    if (isLost) this.#deps.onWarnings()
    this.look(key)
  }

  look(key: string): void {
    if (this.#hasBegun) this.#writer.look(key)
  }

  /** What is written onto every Ingress may be something else now. */
  lookAtAll(): void {
    for (const { metadata } of this.#deps.lister.list()) this.look(`${metadata.namespace ?? ''}/${metadata.name}`)
  }

  gone(key: string): void {
    this.#observed.gone(key)
    this.#writer.gone(key)
  }

  /** Numbers go on above what other leaders wrote, and what they wrote for this very configuration stays (R30-15). */
  async #begin(): Promise<void> {
    const { numbering, compiled, term } = this.#deps
    const noted = parseNote(this.#noted)
    const keepNewest = noted !== undefined && numbering.newest()?.digest === noted.digest
    const written = this.#highestWritten(highestBelieved(noted))
    await numbering.raiseNumberTo(Math.max(noted?.number ?? 0, written), { keepNewest })
    const [newest, now] = [numbering.newest(), compiled()]
    if (!newest || !now || term.signal.aborted) return
    this.#hasBegun = true
    this.#due(this.#observed.begin(newest, now.included, { noted, kept: numbering.kept() }))
    this.lookAtAll()
  }

  #due({ all, own }: DueIngresses): void {
    for (const key of all) this.#writer.look(key, own.has(key))
  }

  /** The highest number on what is ours, among those up to `believed`. */
  #highestWritten(believed: number): number {
    let highest = 0
    for (const key of this.#deps.compiled()?.claimed ?? []) {
      const ingress = this.#deps.lister.get(key)
      const number = (ingress && observedGenerationOf(ingress)) ?? 0
      if (number > highest && number <= believed) highest = number
    }
    return highest
  }

  #noteSettled(): void {
    const settled = this.#hasBegun ? this.#observed.settled : undefined
    const note = settled && `${settled.number} ${settled.digest}`
    if (note === undefined || note === this.#noted) return
    this.#noted = note
    this.#deps.note(CONFIGURATION, note)
  }
}

/** What another leader noted; `undefined`: nothing that one could have. */
function parseNote(text: string | undefined): NumberedDigest | undefined {
  const [, number, digest] = /^(\d{1,13}) ([0-9a-f]{32})$/.exec(text ?? '') ?? []
  if (number === undefined || digest === undefined || Number(number) > HIGHEST_NUMBER) return undefined
  return { number: Number(number), digest }
}
