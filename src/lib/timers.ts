/** Takes back what was scheduled; harmless when it has run or was taken back before. */
export type Cancel = () => void

/** Runs things later, for code that must not set timers by itself. */
export interface Timers {
  /** Runs `run` once, `ms` milliseconds from now at the earliest. */
  after(ms: number, run: () => void): Cancel
}
