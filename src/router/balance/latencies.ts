import type { Endpoint } from '../../model/endpoint-table.ts'

/** After so long without a measurement 1/e of what was measured is left (R20-134). */
const DECAY_MS = 10_000

interface Latency {
  ms: number
  atMs: number
}

/**
 * How long each endpoint of a backend takes to begin a response: a peak-sensitive moving average. A longer time counts
 * at once and whole, a shorter one only as the longer ones fade, so that one slow answer turns traffic away and a run of
 * quick ones wins it back.
 */
export class Latencies {
  readonly #byAddress = new Map<string, Latency>()

  /**
   * Of `endpoints`; what `before` knows of them is shared with it from now on (R00-17). One that is new begins with the
   * mean of the others: at 0 it would get every request.
   */
  constructor(endpoints: readonly Endpoint[], before: Latencies | undefined, nowMs: number) {
    const old: ReadonlyMap<string, Latency> = before ? before.#byAddress : new Map()
    const known = endpoints.flatMap(({ address }) => old.get(address) ?? [])
    const mean = known.reduce((sum, latency) => sum + faded(latency, nowMs), 0) / Math.max(1, known.length)
    for (const { address } of endpoints) this.#byAddress.set(address, old.get(address) ?? { ms: mean, atMs: nowMs })
  }

  /** Milliseconds as they count now; 0 where nothing was measured. */
  of(address: string, nowMs: number): number {
    const known = this.#byAddress.get(address)
    return known === undefined ? 0 : faded(known, nowMs)
  }

  /** An endpoint took so long to begin its response. Of an address that is not among these it is dropped. */
  answered(address: string, latencyMs: number, nowMs: number): void {
    const known = this.#byAddress.get(address)
    if (known === undefined) return
    const share = remains(known, nowMs)
    const old = known.ms * share
    known.ms = latencyMs > old ? latencyMs : old + latencyMs * (1 - share)
    known.atMs = nowMs
  }

  /** No response began, and nobody waits any more: it would have taken longer, so that counts only where it is a peak. */
  gaveUp(address: string, afterMs: number, nowMs: number): void {
    if (afterMs > this.of(address, nowMs)) this.answered(address, afterMs, nowMs)
  }
}

function faded(latency: Latency, nowMs: number): number {
  return latency.ms * remains(latency, nowMs)
}

/** What is left of the weight of a measurement, from 1 down to 0. */
function remains({ atMs }: Latency, nowMs: number): number {
  return Math.exp(Math.min(0, atMs - nowMs) / DECAY_MS)
}
