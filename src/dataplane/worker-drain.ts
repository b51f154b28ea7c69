// The end of a worker's work: nothing new begins, what is under way gets its grace, and the rest is cut (R20-166 to R20-168).
import type { Clock } from '../lib/clock.ts'
import type { Engine } from './engine.ts'
import type { Http2Lane } from './engines/http2/lane.ts'
import type { Listeners } from './listener.ts'
import type { TlsFront } from './tls/front.ts'
import type { WorkerLoad } from './worker-protocol.ts'

/** How often a drain looks whether anything is left. */
const DRAIN_POLL_MS = 20
/** Who has just connected is about to ask, or shakes hands: to close on that would lose a request. */
const FRESH_MS = 1_000

export interface DrainedParts {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly listeners: Pick<Listeners, 'closeWhenTaken' | 'connections'>
  readonly engine: Pick<Engine, 'startDraining' | 'closeIdle' | 'load' | 'destroy'>
  readonly http2: Pick<Http2Lane, 'startDraining' | 'closeIdle' | 'load' | 'destroy'> | undefined
  readonly tls: Pick<TlsFront, 'tunnels' | 'destroy'>
}

export class WorkerDrain {
  readonly #parts: DrainedParts

  constructor(parts: DrainedParts) {
    this.#parts = parts
  }

  /** From now on every answer ends its connection; new ones are still taken. */
  begin(): void {
    this.#parts.engine.startDraining()
    this.#parts.http2?.startDraining()
  }

  /**
   * Takes no new connection but those that wait already; resolves when nothing is left, or when `graceMs` are over, with
   * what was cut then.
   */
  async finish(graceMs: number): Promise<WorkerLoad> {
    const { clock, listeners } = this.#parts
    const deadlineMs = clock.monotonicMs() + graceMs
    const hasTime = (): boolean => clock.monotonicMs() < deadlineMs
    this.begin()
    await listeners.closeWhenTaken(hasTime)
    // Of a short grace the most is for what has begun.
    const freshUntilMs = clock.monotonicMs() + Math.min(FRESH_MS, graceMs / 4)
    return new Promise((resolve) => {
      const poll = setInterval(() => {
        if (listeners.connections > 0 && clock.monotonicMs() < freshUntilMs) return
        // A connection that was busy at the last look may be idle now.
        this.#closeIdle()
        const left = this.#load()
        if (left.requests + left.streams + left.tunnels > 0 && hasTime()) return
        clearInterval(poll)
        this.#cut()
        resolve(left)
      }, DRAIN_POLL_MS)
    })
  }

  #closeIdle(): void {
    this.#parts.engine.closeIdle()
    this.#parts.http2?.closeIdle()
  }

  #load(): WorkerLoad {
    const { engine, http2, tls } = this.#parts
    const { requests, tunnels } = engine.load()
    return { requests, streams: http2?.load().streams ?? 0, tunnels: tunnels + tls.tunnels }
  }

  #cut(): void {
    this.#parts.http2?.destroy()
    this.#parts.engine.destroy()
    this.#parts.tls.destroy()
  }
}
