import { RATE_WINDOW_MS } from './engine-limits.ts'

/** Whether a request body keeps up the rate that it must make, window by window (R20-80). */
export class BodyRate {
  readonly #minBytes: number
  #fromMs = 0
  #fromBytes = 0

  /** `bytesPerSecond`: 0 takes any rate. */
  constructor(bytesPerSecond: number, nowMs: number) {
    this.#minBytes = (bytesPerSecond * RATE_WINDOW_MS) / 1000
    this.#fromMs = nowMs
  }

  /** Begins a new window: it was not the client that the body waited for. */
  restart(nowMs: number, bytes: number): void {
    this.#fromMs = nowMs
    this.#fromBytes = bytes
  }

  /** Reports whether a window has ended with too little in it; `bytes` is all that came so far. */
  isTooSlow(nowMs: number, bytes: number): boolean {
    if (nowMs - this.#fromMs < RATE_WINDOW_MS) return false
    const isSlow = bytes - this.#fromBytes < this.#minBytes
    this.restart(nowMs, bytes)
    return isSlow
  }
}
