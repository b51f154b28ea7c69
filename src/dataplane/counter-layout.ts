// Where each counter lies in shared memory. A column is one stretch of memory, so two workers never write one line of
// the processor's cache. Cells are doubles: exact up to 2^53, and on 64-bit machines written in one piece.
import { DURATION_BUCKETS, HISTOGRAMS, type HistogramName, PROCESS_FIELDS, type SlotField } from '../model/counters.ts'

/** Rows of one segment of the matrix. */
export const SEGMENT_ROWS = 1024

const CELL_BYTES = 8

/** Cell of a field inside a row. */
export const SLOT_OFFSETS: Readonly<Record<SlotField, number>> = {
  requests: 0,
  errors5xx: 1,
  latencyCount: 2,
  latencyMsSum: 3,
  inFlight: 4,
  ejections: 5,
}
/** Cells of one row in one column. */
export const ROW_CELLS = 6
/** Cells of one column of a segment. */
export const COLUMN_CELLS: number = SEGMENT_ROWS * ROW_CELLS

/** Cell of a process field inside a column of the process block. */
export const PROCESS_OFFSETS: ReadonlyMap<string, number> = new Map(PROCESS_FIELDS.map((field, at) => [field, at]))

// One cell a bucket, one for what is above the last bound, one for the sum of seconds.
const HISTOGRAM_CELLS = DURATION_BUCKETS.length + 2
/** The cell of a histogram that has its sum, counted from the histogram's first. */
export const HISTOGRAM_SUM: number = HISTOGRAM_CELLS - 1
/** First cell of a histogram inside a column of the process block. */
export const HISTOGRAM_OFFSETS: Readonly<Record<HistogramName, number>> = {
  requestDuration: PROCESS_FIELDS.length,
  upstreamLatency: PROCESS_FIELDS.length + HISTOGRAM_CELLS,
}
/** Cells of one column of the process block. */
export const PROCESS_CELLS: number = PROCESS_FIELDS.length + HISTOGRAMS.length * HISTOGRAM_CELLS

/** The memory that all workers count in; segments of the matrix come beside it as they are needed. */
export interface CounterMemory {
  /** Columns of every block. */
  readonly columns: number
  /** One number: columns from this one on were never used, so that sums need not read them. */
  readonly columnsUsed: SharedArrayBuffer
  /** Process fields and histograms, column after column. */
  readonly process: SharedArrayBuffer
}

/** Memory for `columns` workers, all zero. */
export function allocateCounterMemory(columns: number): CounterMemory {
  return {
    columns,
    columnsUsed: new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT),
    process: new SharedArrayBuffer(columns * PROCESS_CELLS * CELL_BYTES),
  }
}

/** One segment of the matrix, all zero: `SEGMENT_ROWS` rows for `columns` workers. */
export function allocateSegment(columns: number): SharedArrayBuffer {
  return new SharedArrayBuffer(columns * COLUMN_CELLS * CELL_BYTES)
}
