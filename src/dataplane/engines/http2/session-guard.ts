// What one client may cost without asking for anything (R22-11 to R22-13, R20-103 to R20-105). It counts and judges; who
// asked closes the connection.
import type { Http2Settings } from '../../secure-settings.ts'

/** The limits that are guarded, as the metric names them. */
export type GuardName = 'resets' | 'control' | 'bytes'

const WINDOW_MS = 10_000
/**
 * Bytes around what moves: headers of frames, windows that are opened, answers to PING. What moves earns as much, so
 * that the limit is for bytes that nothing came of.
 */
const AROUND_BYTES = 1024

export class SessionGuard {
  readonly #settings: Http2Settings
  #fromMs: number
  #resets = 0
  #pings = 0
  #settingsFrames = 0
  /** What was read that had its use, and what may stand around it. */
  #useful = 0
  #unusedBefore = 0
  #allowed = 0

  constructor(settings: Http2Settings, nowMs: number) {
    this.#settings = settings
    this.#fromMs = nowMs
  }

  /** A stream came to its end. */
  finished(): void {
    this.#resets -= 1
  }

  /** A stream was reset, by the client or because of it. */
  reset(): void {
    this.#resets += 1
  }

  pinged(): void {
    this.#pings += 1
  }

  settingsCame(): void {
    this.#settingsFrames += 1
  }

  /** `bytes` of what was read were a head or data of a stream, or something was sent on one. */
  moved(bytes: number): void {
    this.#useful += bytes
    this.#allowed += AROUND_BYTES
  }

  /** So many bytes may come that nothing can come of, and the client is not to blame. */
  expect(bytes: number): void {
    this.#allowed += bytes
  }

  /** The limit that is passed, by what was told; `undefined`: none. */
  passed(): GuardName | undefined {
    const { maxResets, maxControlFrames } = this.#settings
    if (this.#resets > maxResets) return 'resets'
    return this.#pings > maxControlFrames || this.#settingsFrames > maxControlFrames ? 'control' : undefined
  }

  /** Looks at the bytes too; `bytesRead` of the connection, of which `waiting` are data that nobody took yet. */
  check(nowMs: number, bytesRead: number, waiting: number): GuardName | undefined {
    const unused = bytesRead - waiting - this.#useful
    const passed = this.passed()
    if (passed) return passed
    if (unused - this.#unusedBefore - this.#allowed > this.#settings.floodBytes) return 'bytes'
    if (nowMs - this.#fromMs >= WINDOW_MS) this.#begin(nowMs, unused)
    return undefined
  }

  #begin(nowMs: number, unused: number): void {
    this.#fromMs = nowMs
    this.#resets = 0
    this.#pings = 0
    this.#settingsFrames = 0
    this.#unusedBefore = unused
    this.#allowed = 0
  }
}
