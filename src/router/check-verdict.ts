/** What the checks of one endpoint come to so far. */
export interface CheckVerdict {
  readonly isFailed: boolean
  /** Checks in a row that say the opposite. */
  readonly against: number
}

/** How many checks in a row it takes, each 1 or more (R20-150). */
export interface CheckThresholds {
  /** Good ones for a failed endpoint to be used again. */
  readonly healthy: number
  /** Bad ones for an endpoint to fail. */
  readonly unhealthy: number
}

/** Of an endpoint that was not checked yet: it is ready, and is used until it fails. */
export const UNCHECKED: CheckVerdict = { isFailed: false, against: 0 }

/** The verdict after one more check. */
export function afterCheck(
  { isFailed, against }: CheckVerdict,
  isGood: boolean,
  { healthy, unhealthy }: CheckThresholds,
): CheckVerdict {
  if (isGood !== isFailed) return { isFailed, against: 0 }
  const isEnough = against + 1 >= (isFailed ? healthy : unhealthy)
  return isEnough ? { isFailed: !isFailed, against: 0 } : { isFailed, against: against + 1 }
}
