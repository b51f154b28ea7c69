/** Intervals and rates that no flag, variable or file reaches (R50-53). Tests set them where they compose the app. */
export interface Tunables {
  /** How often a kind that is absent or forbidden is asked for again. */
  readonly askAgainMs: number
  /** How long a token that was read from a file is used before the file is read again. */
  readonly tokenReadMs: number
  /** How long after `--watch-timeout` a watch that was silent all the time is taken for dead (R50-2). */
  readonly stallMarginMs: number
  /** How often the files of the operator's configuration are looked at (R42-9). */
  readonly configPollMs: number
  /** In which a worker must have answered a publish (R30-10). */
  readonly workerAnswerMs: number
  /** What was refused is tried again after the shorter one at first, after twice as long each time, at most after the longer (R30-12). */
  readonly publishRetryMinMs: number
  readonly publishRetryMaxMs: number
  /** Between two `ConfigApplied` (R30-23). */
  readonly configAppliedMs: number
  /** In which another replica must have answered (R30-19). */
  readonly peerMs: number
  /** In which the audit webhook must have answered (R30-22). */
  readonly webhookMs: number
  /** How long a kind that was removed keeps its objects (R50-5). */
  readonly removedKindMs: number
  /** How many wanted objects are watched each by itself (R30-2). */
  readonly wantedWatches: number
  /** How often those beyond that are asked for. */
  readonly pollWantedMs: number
  /** How long keys of session tickets that were made here are used (R21-25). */
  readonly ticketKeyMs: number
  /** Writes to the cluster, Events included, and how many at once after a quiet time (R30-31). */
  readonly writesPerSecond: number
  readonly writeBurst: number
  /** Between two writes to one object. */
  readonly objectWriteMs: number
  /** How long after a 403 the same kind of write is tried again (R30-30). */
  readonly forbiddenWriteMs: number
  /** Within which three strips of what we write make us give in (R30-36). */
  readonly contestWindowMs: number
  /** How long a write in hand has to end when the process is to stop (R30-44). */
  readonly stopWriteMs: number
}

export const DEFAULT_TUNABLES: Tunables = {
  askAgainMs: 60_000,
  tokenReadMs: 60_000,
  stallMarginMs: 30_000,
  configPollMs: 10_000,
  workerAnswerMs: 10_000,
  publishRetryMinMs: 1000,
  publishRetryMaxMs: 60_000,
  configAppliedMs: 10_000,
  peerMs: 5000,
  webhookMs: 5000,
  removedKindMs: 300_000,
  wantedWatches: 500,
  pollWantedMs: 60_000,
  ticketKeyMs: 12 * 3_600_000,
  writesPerSecond: 20,
  writeBurst: 40,
  objectWriteMs: 1000,
  forbiddenWriteMs: 300_000,
  contestWindowMs: 300_000,
  stopWriteMs: 500,
}
