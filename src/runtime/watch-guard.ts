import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import { ApiUnreachableError } from './api-errors.ts'

export interface WatchGuardSettings {
  /** The watch is ended after so long without a sign of life. */
  readonly silenceMs: number
  /** When it is ended in any case, to list anew (monotonic); `undefined`: never. */
  readonly endAtMs: number | undefined
  readonly clock: Clock
  readonly timers: Timers
}

/** Ends a watch whose server fell silent without closing (R70-82), and one whose time for a fresh list has come. */
export class WatchGuard {
  readonly #settings: WatchGuardSettings
  readonly #controller = new AbortController()
  readonly #parent: AbortSignal
  readonly #cancelEnd: () => void
  #cancelSilence: () => void
  #aliveAtMs: number
  #isDue = false

  constructor(parent: AbortSignal, settings: WatchGuardSettings) {
    const { clock, timers, endAtMs, silenceMs } = settings
    this.#settings = settings
    this.#parent = parent
    this.#aliveAtMs = clock.monotonicMs()
    if (parent.aborted) this.#follow()
    else parent.addEventListener('abort', this.#follow)
    this.#cancelSilence = timers.after(silenceMs, this.#listen)
    this.#cancelEnd = endAtMs === undefined ? () => {} : timers.after(endAtMs - this.#aliveAtMs, this.#end)
  }

  /** Ends the watch. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Whether the watch was ended because a fresh list is due. */
  get isDue(): boolean {
    return this.#isDue
  }

  /** To be called for each event and bookmark. */
  alive(): void {
    this.#aliveAtMs = this.#settings.clock.monotonicMs()
  }

  /** To be called when the watch has ended: lets go of timers and parent. */
  clear(): void {
    this.#cancelSilence()
    this.#cancelEnd()
    this.#parent.removeEventListener('abort', this.#follow)
  }

  readonly #follow = (): void => this.#controller.abort(this.#parent.reason)

  // One timer that is set anew when it fires costs a busy watch nothing per line.
  readonly #listen = (): void => {
    const { clock, timers, silenceMs } = this.#settings
    const leftMs = this.#aliveAtMs + silenceMs - clock.monotonicMs()
    if (leftMs > 0) this.#cancelSilence = timers.after(leftMs, this.#listen)
    else this.#controller.abort(new ApiUnreachableError(`the watch was silent for ${Math.round(silenceMs)} ms`))
  }

  readonly #end = (): void => {
    this.#isDue = true
    this.#controller.abort(new ApiUnreachableError('a fresh list is due'))
  }
}
