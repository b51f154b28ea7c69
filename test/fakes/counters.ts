import type { PairHolds, ServedPair, WorkerCounters } from '../../src/dataplane/engine.ts'
import type { HistogramName, ProcessField, SlotField } from '../../src/model/counters.ts'

/** Counters of one worker in plain maps. */
export class FakeCounters implements WorkerCounters {
  readonly #slots = new Map<string, number>()
  readonly #process = new Map<ProcessField, number>()
  readonly #observed = new Map<HistogramName, number>()

  add(slot: number, field: SlotField, value: number): void {
    const key = `${slot} ${field}`
    this.#slots.set(key, (this.#slots.get(key) ?? 0) + value)
  }

  addProcess(field: ProcessField, value: number): void {
    this.#process.set(field, (this.#process.get(field) ?? 0) + value)
  }

  observe(histogram: HistogramName): void {
    this.#observed.set(histogram, (this.#observed.get(histogram) ?? 0) + 1)
  }

  inFlight(slot: number): number {
    return this.slot(slot, 'inFlight')
  }

  slot(slot: number, field: SlotField): number {
    return this.#slots.get(`${slot} ${field}`) ?? 0
  }

  process(field: ProcessField): number {
    return this.#process.get(field) ?? 0
  }

  /** Every count that is not 0, by what it counts, in an order of its own. */
  all(): ReadonlyMap<string, number> {
    const counts = [...this.#slots, ...this.#process, ...this.#observed]
    return new Map(counts.filter(([, count]) => count !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** How often a histogram observed something. */
  observations(histogram: HistogramName): number {
    return this.#observed.get(histogram) ?? 0
  }
}

/** Counts how often pairs are held. */
export class FakeHolds implements PairHolds {
  readonly #held: ServedPair[] = []

  /** Requests that may still choose an endpoint. */
  get open(): number {
    return this.#held.length
  }

  hold(pair: ServedPair): void {
    this.#held.push(pair)
  }

  release(pair: ServedPair): void {
    const at = this.#held.indexOf(pair)
    if (at < 0) throw new Error('a pair was released that nobody holds')
    this.#held.splice(at, 1)
  }
}
