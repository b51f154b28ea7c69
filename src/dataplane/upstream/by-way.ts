import type { UpstreamWay, UpstreamWays } from './way.ts'

export interface Addresses {
  has(address: string): boolean
}

/** One thing for each endpoint and way, such as a pool: no two ways share one (R21-33, R70-72). */
export class ByWay<T> {
  /** Of endpoints that are reached in plain HTTP/1.1, which is most of them. */
  readonly #plain = new Map<string, T>()
  readonly #byWay = new Map<UpstreamWay, Map<string, T>>()

  /** `way` is absent for plain HTTP/1.1. */
  get(address: string, way: UpstreamWay | undefined): T | undefined {
    return way ? this.#byWay.get(way)?.get(address) : this.#plain.get(address)
  }

  set(address: string, way: UpstreamWay | undefined, one: T): void {
    this.#of(way).set(address, one)
  }

  *values(): Generator<T> {
    yield* this.#plain.values()
    for (const some of this.#byWay.values()) yield* some.values()
  }

  /** Forgets, and gives to `drop`, what belongs to an endpoint or a way that is gone (R00-13, R21-35). */
  retain(addresses: Addresses, ways: UpstreamWays, drop: (one: T) => void): void {
    retainIn(this.#plain, addresses, drop)
    if (this.#byWay.size === 0) return
    const kept = new Set(ways.values())
    for (const [way, some] of this.#byWay) {
      retainIn(some, kept.has(way) ? addresses : NO_ADDRESSES, drop)
      if (some.size === 0) this.#byWay.delete(way)
    }
  }

  clear(): void {
    this.#plain.clear()
    this.#byWay.clear()
  }

  #of(way: UpstreamWay | undefined): Map<string, T> {
    if (!way) return this.#plain
    const known = this.#byWay.get(way)
    if (known) return known
    const some = new Map<string, T>()
    this.#byWay.set(way, some)
    return some
  }
}

const NO_ADDRESSES: Addresses = new Set()

function retainIn<T>(some: Map<string, T>, addresses: Addresses, drop: (one: T) => void): void {
  for (const [address, one] of some) {
    if (addresses.has(address)) continue
    some.delete(address)
    drop(one)
  }
}
