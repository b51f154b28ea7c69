import { compile } from '../compiler/compile.ts'
import { emptyMemo, type Memo } from '../compiler/memo.ts'
import { recompileEndpoints } from '../compiler/recompile-endpoints.ts'
import type { CompileResult } from '../compiler/result.ts'
import type { ClusterSnapshot, CompileSettings } from '../compiler/snapshot.ts'
import type { Clock } from '../lib/clock.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'

/** What became different: anything, or nothing but the EndpointSlices of one Service (`namespace/name`). */
export type Change = { readonly kind: 'all' } | { readonly kind: 'endpoints'; readonly service: string }

/** What reconcilers tell of. */
export interface DirtyMarker {
  /** `receivedAtMs`: when the event behind it was received (monotonic); now, where it is left out. */
  markDirty(change: Change, receivedAtMs?: number): void
}

/** The two ways of the compiler. */
export interface Compiler {
  compile(snapshot: ClusterSnapshot, settings: CompileSettings, memo: Memo): CompileResult
  recompileEndpoints(snapshot: ClusterSnapshot, last: CompileResult, services: ReadonlySet<string>): CompileResult
}

export interface CompileLoopDeps {
  readonly snapshot: () => ClusterSnapshot
  readonly settings: CompileSettings
  /** Hands on what was compiled; `receivedAtMs` is when its first event was received. The next compile waits for it. */
  readonly publish: (result: CompileResult, receivedAtMs: number) => Promise<void>
  /** `--debounce-min`: quiet time after the last event. */
  readonly debounceMinMs: number
  /** `--debounce`: longest wait after the first event. */
  readonly debounceMs: number
  readonly clock: Clock
  readonly timers: Timers
  readonly log: Logger
  /** Awaited between the first compile and its publish: what changes meanwhile is compiled into what is published. */
  readonly settleFirst?: () => Promise<void>
  /** Told of each compile: `ramjet_compile_seconds`. */
  readonly onCompiled?: (result: CompileResult, durationMs: number) => void
  readonly compiler?: Compiler
}

/** Changes that no compile has seen yet. */
interface Pending {
  /** Services whose slices changed; `undefined`: anything may have. */
  services: Set<string> | undefined
  readonly receivedAtMs: number
  readonly firstAtMs: number
  lastAtMs: number
}

/** The snapshot of the last compile and what came of it. */
interface Last {
  readonly snapshot: ClusterSnapshot
  readonly result: CompileResult
}

/**
 * Turns any burst of changes into one compile and one publish (R30-4), one after the other: while one is under way,
 * changes gather for the next. So it holds one set of Service names and never a queue.
 */
export class CompileLoop implements DirtyMarker {
  readonly #deps: CompileLoopDeps
  readonly #compiler: Compiler
  #memo: Memo = emptyMemo()
  #last: Last | undefined
  #pending: Pending | undefined
  #cancelTimer: Cancel | undefined
  #running: Promise<void> | undefined
  #hasSettled = false
  #state: 'waiting' | 'started' | 'stopped' = 'waiting'

  constructor(deps: CompileLoopDeps) {
    this.#deps = deps
    this.#compiler = deps.compiler ?? { compile, recompileEndpoints }
  }

  /** The newest outcome, published or not; `undefined`: nothing was compiled yet. */
  get last(): CompileResult | undefined {
    return this.#last?.result
  }

  /** Compiles for the first time, now. To be called when the snapshot holds all there is, and not before. */
  start(): void {
    if (this.#state !== 'waiting') return
    this.#state = 'started'
    this.#note({ kind: 'all' }, this.#deps.clock.monotonicMs())
    this.#run()
  }

  markDirty(change: Change, receivedAtMs: number = this.#deps.clock.monotonicMs()): void {
    this.#note(change, receivedAtMs)
    this.#schedule()
  }

  /**
   * Compiles and publishes what the snapshot holds, without waiting for quiet; resolves when that is done. Does nothing
   * before `start` and after `stop`.
   */
  async compileNow(): Promise<void> {
    if (this.#state !== 'started') return
    this.#note({ kind: 'all' }, this.#deps.clock.monotonicMs())
    // What runs was begun before. Behind it changes that never cease may have begun the next one, which takes this in:
    // who would wait for a moment when nothing runs might wait for as long as they last.
    await this.#running
    if (this.#state !== 'started') return
    if (!this.#running) this.#run()
    await this.#running
  }

  /** Begins no further compile and resolves when the one under way has been published. */
  async stop(): Promise<void> {
    this.#state = 'stopped'
    this.#cancelTimer?.()
    await this.#running
  }

  #note(change: Change, receivedAtMs: number): void {
    const nowMs = this.#deps.clock.monotonicMs()
    this.#pending ??= { services: new Set(), receivedAtMs, firstAtMs: nowMs, lastAtMs: nowMs }
    this.#pending.lastAtMs = nowMs
    if (change.kind === 'all') this.#pending.services = undefined
    else this.#pending.services?.add(change.service)
  }

  /** One timer for the whole burst: an event that comes while it runs makes it run again, and costs nothing itself. */
  #schedule(): void {
    const pending = this.#pending
    if (!pending || this.#state !== 'started' || this.#running || this.#cancelTimer) return
    const { clock, timers, debounceMinMs, debounceMs } = this.#deps
    const dueAtMs = Math.min(pending.lastAtMs + debounceMinMs, pending.firstAtMs + debounceMs)
    const leftMs = dueAtMs - clock.monotonicMs()
    if (leftMs <= 0) {
      this.#run()
      return
    }
    this.#cancelTimer = timers.after(leftMs, () => {
      this.#cancelTimer = undefined
      this.#schedule()
    })
  }

  #run(): void {
    const pending = this.#pending
    if (!pending) return
    this.#pending = undefined
    this.#running = this.#compileAndPublish(pending).finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  async #compileAndPublish(pending: Pending): Promise<void> {
    const { publish, log, snapshot } = this.#deps
    try {
      const result = await this.#settled(this.#compile(snapshot(), pending.services))
      await publish(result, pending.receivedAtMs)
      this.#dropLeftovers(result)
    } catch (error) {
      // What serves goes on serving. The next change compiles everything: what this one lost must not be skipped.
      this.#last = undefined
      log.error({ err: error }, 'compile or publish failed')
    }
  }

  async #settled(result: CompileResult): Promise<CompileResult> {
    if (this.#hasSettled) return result
    this.#hasSettled = true
    await this.#deps.settleFirst?.()
    const meanwhile = this.#pending
    this.#pending = undefined
    return meanwhile ? this.#compile(this.#deps.snapshot(), meanwhile.services) : result
  }

  #compile(snapshot: ClusterSnapshot, services: ReadonlySet<string> | undefined): CompileResult {
    const { clock, settings, log, onCompiled } = this.#deps
    const last = this.#last
    const beganMs = clock.monotonicMs()
    const short = last !== undefined && services !== undefined && onlySlicesDiffer(last.snapshot, snapshot)
    const result = short
      ? this.#compiler.recompileEndpoints(snapshot, last.result, services)
      : this.#compiler.compile(snapshot, settings, this.#memo)
    const durationMs = clock.monotonicMs() - beganMs
    this.#last = { snapshot, result }
    this.#memo = result.memo
    log.debug({ way: short ? 'endpoints' : 'whole', warnings: result.warnings.length, durationMs }, 'compiled')
    onCompiled?.(result, durationMs)
    return result
  }

  /**
   * Endpoints are compiled for the generation that served before as well (R00-22). Once the new one serves, those that
   * nobody names any more go with one compile more, instead of staying until something else changes (R00-21).
   */
  #dropLeftovers({ tables }: CompileResult): void {
    const { servedBackends } = this.#deps.snapshot()
    for (const name of tables.endpoints.byBackend.keys()) {
      if (tables.routes.backends.has(name) || servedBackends.has(name)) continue
      this.#note({ kind: 'all' }, this.#deps.clock.monotonicMs())
      return
    }
  }
}

/** What the short way reads anew; all the rest must be as it was. */
const SHORT: ReadonlySet<string> = new Set<keyof ClusterSnapshot>(['endpointSlices', 'resolvedNames'])

/** Whether the short way gives what a whole compile would. What did not change is the same value. */
function onlySlicesDiffer(before: ClusterSnapshot, now: ClusterSnapshot): boolean {
  const was = new Map<string, unknown>(Object.entries(before))
  return Object.entries(now).every(([part, value]) => SHORT.has(part) || was.get(part) === value)
}
