import type { Generation, PublishFailure } from '../model/generation.ts'
import type { GenerationDiff } from '../model/generation-diff.ts'

/** What became of a generation. */
export type HistoryOutcome =
  | { readonly kind: 'applied' }
  /** A pin kept it back: it was compiled and nobody was asked to serve it. */
  | { readonly kind: 'held' }
  | { readonly kind: 'rejected'; readonly reason: PublishFailure; readonly message: string }

/** What is told of a generation, made once when it was compiled. */
export interface GenerationFacts {
  readonly number: number
  readonly digest: string
  /** The number of the generation that `diff` is against; 0: there was none. */
  readonly previous: number
  readonly routes: number
  readonly hosts: number
  /** Certificates that serve a name. */
  readonly certificates: number
  readonly diff: GenerationDiff
}

/** One generation and what became of it (R00-11, R30-16). */
export interface HistoryRecord extends GenerationFacts {
  /** Milliseconds since the Unix epoch: when it was applied, held back, or refused last. */
  readonly atMs: number
  readonly outcome: HistoryOutcome
}

/** The facts of `generation`, which differs by `diff` from `previous`. */
export function factsOf(
  { number, digest, routes }: Generation,
  previous: Generation | undefined,
  diff: GenerationDiff,
): GenerationFacts {
  const hosts = [...routes.hosts.values()]
  const ofHosts = hosts.reduce((sum, host) => sum + host.routes.length + (host.fallback ? 1 : 0), 0)
  return {
    number,
    digest,
    previous: previous?.number ?? 0,
    routes: ofHosts + (routes.defaultRoute ? 1 : 0),
    hosts: hosts.length,
    certificates: routes.certificates?.certificates.size ?? 0,
    diff,
  }
}

/** The last records of each kind of outcome, as many as the store keeps generations. */
export class History {
  readonly #size: number
  #records: readonly HistoryRecord[] = []

  constructor(size: number) {
    this.#size = size
  }

  /** Newest first. */
  records(): readonly HistoryRecord[] {
    return this.#records
  }

  /** `undefined`: nothing is known of a generation of this number. */
  find(number: number): HistoryRecord | undefined {
    return this.#records.find((record) => record.number === number)
  }

  /** Takes the place of what was known of the same generation. */
  add(record: HistoryRecord): void {
    const others = this.#records.filter(({ number }) => number !== record.number)
    let room = this.#size
    const isKept = ({ outcome }: HistoryRecord): boolean => {
      if (outcome.kind !== record.outcome.kind) return true
      room -= 1
      return room >= 0
    }
    this.#records = [record, ...others].toSorted((a, b) => b.number - a.number).filter(isKept)
  }

  /** The generation of number `before` goes by `number` from now on. */
  renumber(before: number, number: number): void {
    // Of a number that was refused first there is a record, which this one takes the place of.
    const others = this.#records.filter((record) => record.number !== number)
    this.#records = others.map((record) => (record.number === before ? { ...record, number } : record))
  }
}
