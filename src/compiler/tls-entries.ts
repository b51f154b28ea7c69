// The TLS entries of many Ingresses by what they name.
import type { Contribution, TlsEntry } from './contribution.ts'

/** An entry, and whose it is. */
export interface Claim {
  readonly by: Contribution
  readonly entry: TlsEntry
}

/**
 * Entries by a key of theirs. Each contribution is read through once, when it is first asked for: one Ingress may have
 * tens of thousands of entries, and is asked for each of its names.
 */
export class TlsEntries {
  readonly #keysOf: (entry: TlsEntry) => readonly string[]
  readonly #known = new Map<Contribution, ReadonlyMap<string, readonly Claim[]>>()

  constructor(keysOf: (entry: TlsEntry) => readonly string[]) {
    this.#keysOf = keysOf
  }

  /** The entries for `key`, in the order of `contributions` and then as written. */
  of(key: string, contributions: readonly Contribution[]): readonly Claim[] {
    return contributions.flatMap((by) => this.#indexOf(by).get(key) ?? [])
  }

  #indexOf(by: Contribution): ReadonlyMap<string, readonly Claim[]> {
    const known = this.#known.get(by)
    if (known) return known
    const index = new Map<string, Claim[]>()
    for (const entry of by.tls) {
      for (const key of new Set(this.#keysOf(entry))) {
        const claims = index.get(key) ?? []
        index.set(key, claims)
        claims.push({ by, entry })
      }
    }
    this.#known.set(by, index)
    return index
  }
}

/** The key of the Secret that an entry names; empty where it names none. */
export function secretKeysOf({ source }: TlsEntry): readonly string[] {
  return source.kind === 'secret' ? [source.key] : []
}
