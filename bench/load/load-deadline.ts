const LATE_MS = 30_000

/** How long a load generator that is to run for so many seconds may take: one that hangs ends the benchmark with an error. */
export function loadDeadlineMs(seconds: number): number {
  return seconds * 1000 + LATE_MS
}
