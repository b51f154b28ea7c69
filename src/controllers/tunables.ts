/** Intervals and rates that no flag, variable or file reaches (R50-53). Tests set them where they compose the app. */
export interface Tunables {
  /** How often a kind that is absent or forbidden is asked for again. */
  readonly askAgainMs: number
  /** How long a token that was read from a file is used before the file is read again. */
  readonly tokenReadMs: number
  /** How long after `--watch-timeout` a watch that was silent all the time is taken for dead (R50-2). */
  readonly stallMarginMs: number
}

export const DEFAULT_TUNABLES: Tunables = { askAgainMs: 60_000, tokenReadMs: 60_000, stallMarginMs: 30_000 }
