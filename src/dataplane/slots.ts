// Which row of the counters belongs to which route or endpoint, and for how long (R00-16).

/**
 * Where a name stands: in configurations, which may be kept after they served, or in the live endpoint table, which
 * never is (R00-22).
 */
export type NameSpace = 'configuration' | 'live'

/** How often more (or less, if negative) a name stands in the next pair than in the one that serves. */
export interface NameChange {
  readonly space: NameSpace
  readonly name: string
  readonly by: number
}

/** Sequences of the pairs that may still be read, for each space. */
export type Holders = Readonly<Record<NameSpace, ReadonlySet<number>>>

/** Gives rows and takes them back: the counter matrix. */
export interface Rows {
  giveRow(): number
  freeRow(row: number): void
  inFlight(row: number): number
}

interface Use {
  /** Elements of the served pair that name it. */
  count: number
  /** Sequence of the first pair that named it. */
  from: number
  /** Sequence of the first pair that did not any more; infinite while the served one does. */
  until: number
}

interface Owner {
  readonly row: number
  readonly uses: Map<NameSpace, Use>
}

/**
 * The rows of one kind of name. A change is prepared for a pair that is to be built, and committed when it serves or
 * abandoned when it was refused. Pairs are known by the sequence in which they were handed out.
 */
export class Slots {
  readonly #rows: Rows
  readonly #owners = new Map<string, Owner>()
  /** Names of no pair that serves; their rows wait until nobody reads them. */
  readonly #leaving = new Set<string>()

  constructor(rows: Rows) {
    this.#rows = rows
  }

  /** Names that have a row. */
  get size(): number {
    return this.#owners.size
  }

  /** The row of `name`; `undefined` where it has none. */
  rowOf(name: string): number | undefined {
    return this.#owners.get(name)?.row
  }

  /** Gives rows to the names that `changes` bring. */
  prepare(changes: readonly NameChange[]): void {
    for (const { name, by } of changes) {
      if (by <= 0 || this.#owners.has(name)) continue
      this.#owners.set(name, { row: this.#rows.giveRow(), uses: new Map() })
      this.#leaving.add(name)
    }
  }

  /** The pair of `sequence`, for which `changes` were prepared, serves. */
  commit(changes: readonly NameChange[], sequence: number): void {
    for (const change of changes) {
      const owner = this.#owners.get(change.name)
      if (!owner) continue
      countUse(owner, change, sequence)
      if (isNamed(owner)) this.#leaving.delete(change.name)
      else this.#leaving.add(change.name)
    }
  }

  /** Takes back the rows that nothing holds and returns the names that had them. */
  sweep(holders: Holders): string[] {
    const freed: string[] = []
    for (const name of this.#leaving) {
      const owner = this.#owners.get(name)
      if (!owner || isHeld(owner, holders) || this.#rows.inFlight(owner.row) !== 0) continue
      this.#owners.delete(name)
      this.#leaving.delete(name)
      this.#rows.freeRow(owner.row)
      freed.push(name)
    }
    return freed
  }
}

function countUse({ uses }: Owner, { space, by }: NameChange, sequence: number): void {
  const use = uses.get(space)
  if (!use) {
    uses.set(space, { count: by, from: sequence, until: Number.POSITIVE_INFINITY })
    return
  }
  use.count += by
  use.until = use.count > 0 ? Number.POSITIVE_INFINITY : Math.min(use.until, sequence)
}

function isNamed({ uses }: Owner): boolean {
  for (const { count } of uses.values()) if (count > 0) return true
  return false
}

function isHeld({ uses }: Owner, holders: Holders): boolean {
  for (const [space, { from, until }] of uses) {
    for (const sequence of holders[space]) if (from <= sequence && sequence < until) return true
  }
  return false
}
