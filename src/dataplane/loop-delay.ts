// How late the event loop of a worker runs (R70-121). The worker writes what it measured with every heartbeat; the main
// thread reads it for a scrape and thereby asks for a new start.
import { type ELDHistogram, monitorEventLoopDelay } from 'node:perf_hooks'

/** How much later than asked timers ran since the last look, in seconds. */
export interface LoopDelay {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Memory that one worker and the main thread share; zero until the first heartbeat. */
export function allocateLoopDelay(): SharedArrayBuffer {
  return new SharedArrayBuffer(CELLS * Float64Array.BYTES_PER_ELEMENT)
}

/** The main thread's end. */
export class LoopDelayReader {
  readonly #cells: Float64Array

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory)
  }

  /** What the worker wrote last; it begins anew with its next heartbeat. */
  read(): LoopDelay {
    const { [LOOKS]: looks = 0, [P50]: p50 = 0, [P99]: p99 = 0, [MAX]: max = 0 } = this.#cells
    this.#cells[LOOKS] = looks + 1
    return { p50, p99, max }
  }
}

/** The worker's end; measures from its construction. */
export class LoopDelayRecorder {
  readonly #cells: Float64Array
  readonly #histogram: ELDHistogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  #looks = 0
  /** Of the heartbeat that began this period, in seconds: what it waited for is in no sample. */
  #firstLate = 0

  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory)
    this.#histogram.enable()
  }

  /** Writes down what was measured; to be called by each heartbeat, with how late that one is. */
  record(lateMs: number): void {
    const looks = this.#cells[LOOKS] ?? 0
    if (looks !== this.#looks) {
      this.#looks = looks
      this.#firstLate = Math.max(0, lateMs / 1000)
      this.#histogram.reset()
    }
    this.#cells[P50] = delayOf(this.#histogram.percentile(50))
    this.#cells[P99] = delayOf(this.#histogram.percentile(99))
    this.#cells[MAX] = Math.max(this.#firstLate, delayOf(this.#histogram.max))
  }
}

const RESOLUTION_MS = 20
const [LOOKS, P50, P99, MAX, CELLS] = [0, 1, 2, 3, 4] as const

// Node's samples are whole intervals: the delay is what is above the one that was asked for.
function delayOf(intervalNs: number): number {
  return Math.max(0, intervalNs / 1e9 - RESOLUTION_MS / 1000)
}
