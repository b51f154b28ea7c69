import type { Clock } from '../../../lib/clock.ts'

/** The time of the event that is being worked on, read once for it: a request is not worth five looks at a clock. */
export class TurnClock {
  /** Milliseconds of the monotonic clock. */
  nowMs = 0
  readonly #clock: Clock

  constructor(clock: Clock) {
    this.#clock = clock
    this.tick()
  }

  /** An event has come. */
  tick(): void {
    this.nowMs = this.#clock.monotonicMs()
  }
}
