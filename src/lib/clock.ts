/** Tells the time to code that must not read it by itself. */
export interface Clock {
  /** Milliseconds on a clock that never goes back; only differences mean something. */
  monotonicMs(): number
  /** Milliseconds since the Unix epoch. */
  wallMs(): number
}
