import { DURATION_BUCKETS, type HistogramName, type ProcessField, type SlotField } from '../model/counters.ts'
import {
  COLUMN_CELLS,
  type CounterMemory,
  HISTOGRAM_OFFSETS,
  HISTOGRAM_SUM,
  PROCESS_CELLS,
  PROCESS_OFFSETS,
  ROW_CELLS,
  SEGMENT_ROWS,
  SLOT_OFFSETS,
} from './counter-layout.ts'
import type { WorkerCounters } from './engine.ts'

/**
 * A worker's own column of the counters. It alone writes there, so a count is a read and a write of plain memory: no
 * lock and no atomic addition (R00-15).
 */
export class CounterColumn implements WorkerCounters {
  readonly #segments: Float64Array[] = []
  /** First cell of this column in every segment. */
  readonly #base: number
  readonly #process: Float64Array
  readonly #columnsUsed: Int32Array

  constructor(memory: CounterMemory, column: number) {
    this.#base = column * COLUMN_CELLS
    const firstByte = column * PROCESS_CELLS * Float64Array.BYTES_PER_ELEMENT
    this.#process = new Float64Array(memory.process, firstByte, PROCESS_CELLS)
    this.#columnsUsed = new Int32Array(memory.columnsUsed)
  }

  /** Takes the segments that were appended to the matrix, in order; slots may then lie in them. */
  addSegments(segments: readonly SharedArrayBuffer[]): void {
    for (const segment of segments) this.#segments.push(new Float64Array(segment))
  }

  add(slot: number, field: SlotField, value: number): void {
    const cells = this.#segments[Math.trunc(slot / SEGMENT_ROWS)]
    if (cells === undefined) return
    const at = this.#base + (slot % SEGMENT_ROWS) * ROW_CELLS + SLOT_OFFSETS[field]
    cells[at] = (cells[at] ?? 0) + value
  }

  addProcess(field: ProcessField, value: number): void {
    this.#addCell(PROCESS_OFFSETS.get(field), value)
  }

  observe(histogram: HistogramName, seconds: number): void {
    const first = HISTOGRAM_OFFSETS[histogram]
    let bucket = 0
    while (bucket < DURATION_BUCKETS.length && seconds > (DURATION_BUCKETS[bucket] ?? 0)) bucket += 1
    this.#addCell(first + bucket, 1)
    this.#addCell(first + HISTOGRAM_SUM, seconds)
  }

  inFlight(slot: number): number {
    const cells = this.#segments[Math.trunc(slot / SEGMENT_ROWS)]
    if (cells === undefined) return 0
    let at = (slot % SEGMENT_ROWS) * ROW_CELLS + SLOT_OFFSETS.inFlight
    let sum = 0
    for (let left = this.#columnsUsed[0] ?? 0; left > 0; left -= 1) {
      sum += cells[at] ?? 0
      at += COLUMN_CELLS
    }
    return sum
  }

  #addCell(at: number | undefined, value: number): void {
    if (at !== undefined) this.#process[at] = (this.#process[at] ?? 0) + value
  }
}
