// Slow start: an endpoint that comes later than others grows to its share (R20-143).
import type { Endpoint } from '../../model/endpoint-table.ts'
import type { Balancer, InFlight } from './balancer.ts'
import type { Latencies } from './latencies.ts'

/** The part of its share that an endpoint begins with. */
const FIRST_PART = 0.1

/** One endpoint that has not its whole share yet. */
interface Growing {
  readonly sinceMs: number
  /** Parts of turns that it has been given; a whole one lets it take a turn. */
  credit: number
}

/** Endpoints of a backend that grow, by address. What two balancers of one backend share is told by identity. */
export type GrowingEndpoints = ReadonlyMap<string, Growing>

export interface GrowthInput {
  readonly endpoints: readonly Endpoint[]
  /** Those that the backend had before; empty: it had none, and nobody is new beside another one. */
  readonly before: readonly Endpoint[]
  readonly growing: GrowingEndpoints
  readonly slowStartMs: number
  readonly nowMs: number
}

/** The endpoints that grow from now on: those that grew and have not ended, and those that are new beside others. */
export function growingOf({ endpoints, before, growing, slowStartMs, nowMs }: GrowthInput): GrowingEndpoints {
  const old = new Set(before.map(({ address }) => address))
  if (!endpoints.some(({ address }) => old.has(address))) return new Map()
  const grown = new Map<string, Growing>()
  for (const { address } of endpoints) {
    const known = old.has(address) ? growing.get(address) : { sinceMs: nowMs, credit: 0 }
    if (known && nowMs - known.sinceMs < slowStartMs) grown.set(address, known)
  }
  return grown
}

/** Lets a growing endpoint take only a part of the turns that its policy gives it. */
export class SlowStart implements Balancer {
  readonly latencies?: Latencies
  readonly #inner: Balancer
  readonly #growing: GrowingEndpoints
  readonly #slowStartMs: number

  constructor(inner: Balancer, growing: GrowingEndpoints, slowStartMs: number) {
    this.#inner = inner
    this.#growing = growing
    this.#slowStartMs = slowStartMs
    if (inner.latencies) this.latencies = inner.latencies
  }

  pick(point: number, tried: readonly Endpoint[], inFlight: InFlight, nowMs: number): Endpoint | undefined {
    const first = this.#inner.pick(point, tried, inFlight, nowMs)
    if (!first || this.#takesTurn(first, nowMs)) return first
    const passed = [...tried, first]
    for (;;) {
      const next = this.#inner.pick(point, passed, inFlight, nowMs)
      // All that are left grow: then nobody is spared.
      if (!next) return first
      if (this.#takesTurn(next, nowMs)) return next
      passed.push(next)
    }
  }

  #takesTurn({ address }: Endpoint, nowMs: number): boolean {
    const growing = this.#growing.get(address)
    if (growing === undefined) return true
    const age = (nowMs - growing.sinceMs) / this.#slowStartMs
    if (age >= 1) return true
    growing.credit += FIRST_PART + (1 - FIRST_PART) * age
    if (growing.credit < 1) return false
    growing.credit -= 1
    return true
  }
}
