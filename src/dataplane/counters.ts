import {
  DURATION_BUCKETS,
  type HistogramName,
  type HistogramTotals,
  PROCESS_FIELDS,
  PROCESS_GAUGES,
  type ProcessField,
  type ProcessTotals,
  type SlotTotals,
} from '../model/counters.ts'
import {
  allocateCounterMemory,
  allocateSegment,
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

/** The sums of a row that nobody has counted in. */
export const ZERO_TOTALS: SlotTotals = {
  requests: 0,
  errors5xx: 0,
  latencyCount: 0,
  latencyMsSum: 0,
  inFlight: 0,
  ejections: 0,
}

/**
 * The main thread's end of the counters: it gives rows to slots and columns to workers, and reads sums. It writes no
 * cell of a worker that lives (R00-15, R00-16).
 */
export class CounterMatrix {
  readonly memory: CounterMemory
  readonly #segments: SharedArrayBuffer[] = []
  readonly #cells: Float64Array[] = []
  readonly #process: Float64Array
  readonly #columnsUsed: Int32Array
  readonly #takenColumns = new Set<number>()
  readonly #freeRows: number[] = []
  /** What a row had counted when it was given to its present owner. */
  readonly #bases = new Map<number, SlotTotals>()
  #rows = 0

  constructor(columns: number) {
    this.memory = allocateCounterMemory(columns)
    this.#process = new Float64Array(this.memory.process)
    this.#columnsUsed = new Int32Array(this.memory.columnsUsed)
  }

  /** In the order they were appended; only ever grows. */
  get segments(): readonly SharedArrayBuffer[] {
    return this.#segments
  }

  /** Rows that have an owner. */
  get rowsInUse(): number {
    return this.#rows - this.#freeRows.length
  }

  /** A column that nobody writes; `undefined` while every one has its worker. */
  takeColumn(): number | undefined {
    for (let column = 0; column < this.memory.columns; column += 1) {
      if (this.#takenColumns.has(column)) continue
      this.#takenColumns.add(column)
      Atomics.store(this.#columnsUsed, 0, Math.max(this.#columnsUsed[0] ?? 0, column + 1))
      return column
    }
    return undefined
  }

  /** Takes back the column of a worker that has ended: its totals stay, what it had open is no more. */
  returnColumn(column: number): void {
    for (const cells of this.#cells) {
      const end = (column + 1) * COLUMN_CELLS
      for (let at = column * COLUMN_CELLS + SLOT_OFFSETS.inFlight; at < end; at += ROW_CELLS) cells[at] = 0
    }
    for (const field of PROCESS_GAUGES) this.#process[column * PROCESS_CELLS + processOffset(field)] = 0
    this.#takenColumns.delete(column)
  }

  /** A row whose totals are zero from now on. */
  giveRow(): number {
    const freed = this.#freeRows.pop()
    if (freed === undefined) return this.#appendRow()
    this.#bases.set(freed, this.#sums(freed))
    return freed
  }

  /** Takes back a row in which nothing is in flight. */
  freeRow(row: number): void {
    this.#bases.delete(row)
    this.#freeRows.push(row)
  }

  totals(row: number): SlotTotals {
    const sums = this.#sums(row)
    const base = this.#bases.get(row)
    return base ? minus(sums, base) : sums
  }

  /** Over all workers. */
  inFlight(row: number): number {
    return this.#sum(row, SLOT_OFFSETS.inFlight)
  }

  processTotals(): ProcessTotals {
    return {
      fields: processFields((field) => this.#sumProcess(processOffset(field))),
      histograms: {
        requestDuration: this.#histogram('requestDuration'),
        upstreamLatency: this.#histogram('upstreamLatency'),
      },
    }
  }

  #appendRow(): number {
    const row = this.#rows
    if (row === this.#segments.length * SEGMENT_ROWS) {
      const segment = allocateSegment(this.memory.columns)
      this.#segments.push(segment)
      this.#cells.push(new Float64Array(segment))
    }
    this.#rows += 1
    return row
  }

  #sums(row: number): SlotTotals {
    return {
      requests: this.#sum(row, SLOT_OFFSETS.requests),
      errors5xx: this.#sum(row, SLOT_OFFSETS.errors5xx),
      latencyCount: this.#sum(row, SLOT_OFFSETS.latencyCount),
      latencyMsSum: this.#sum(row, SLOT_OFFSETS.latencyMsSum),
      inFlight: this.#sum(row, SLOT_OFFSETS.inFlight),
      ejections: this.#sum(row, SLOT_OFFSETS.ejections),
    }
  }

  #sum(row: number, offset: number): number {
    const cells = this.#cells[Math.trunc(row / SEGMENT_ROWS)]
    const first = (row % SEGMENT_ROWS) * ROW_CELLS + offset
    return cells === undefined ? 0 : sumColumns(cells, first, { stride: COLUMN_CELLS, columns: this.#used() })
  }

  #sumProcess(offset: number): number {
    return sumColumns(this.#process, offset, { stride: PROCESS_CELLS, columns: this.#used() })
  }

  #used(): number {
    return this.#columnsUsed[0] ?? 0
  }

  #histogram(name: HistogramName): HistogramTotals {
    const first = HISTOGRAM_OFFSETS[name]
    const cumulative: number[] = []
    let count = 0
    for (let bucket = 0; bucket <= DURATION_BUCKETS.length; bucket += 1) {
      count += this.#sumProcess(first + bucket)
      cumulative.push(count)
    }
    return { cumulative, count, sumSeconds: this.#sumProcess(first + HISTOGRAM_SUM) }
  }
}

function sumColumns(
  cells: Float64Array,
  first: number,
  { stride, columns }: { readonly stride: number; readonly columns: number },
): number {
  let sum = 0
  for (let column = 0; column < columns; column += 1) sum += cells[first + column * stride] ?? 0
  return sum
}

function processOffset(field: ProcessField): number {
  return PROCESS_OFFSETS.get(field) ?? 0
}

function processFields(sumOf: (field: ProcessField) => number): Readonly<Record<ProcessField, number>> {
  const fields: Partial<Record<ProcessField, number>> = {}
  for (const field of PROCESS_FIELDS) fields[field] = sumOf(field)
  if (!hasAllFields(fields)) throw new TypeError('a process field has no cell')
  return fields
}

function hasAllFields(fields: Partial<Record<ProcessField, number>>): fields is Record<ProcessField, number> {
  return PROCESS_FIELDS.every((field) => fields[field] !== undefined)
}

function minus(sums: SlotTotals, base: SlotTotals): SlotTotals {
  return {
    requests: sums.requests - base.requests,
    errors5xx: sums.errors5xx - base.errors5xx,
    latencyCount: sums.latencyCount - base.latencyCount,
    latencyMsSum: sums.latencyMsSum - base.latencyMsSum,
    // A row is given only when nothing is in flight in it.
    inFlight: sums.inFlight,
    ejections: sums.ejections - base.ejections,
  }
}
