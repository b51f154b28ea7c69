import { idleRoom } from '../../descriptors.ts'
import type { EngineDeps } from '../../engine.ts'
import { createEngineParts, type EngineParts } from '../../engine-parts.ts'
import { UpstreamPool } from '../../upstream/pool.ts'
import { WayDialer } from '../../upstream/way-dialer.ts'

/** What every connection and exchange of one engine shares. */
export interface EngineContext extends EngineParts {
  readonly pool: UpstreamPool
  /** Whether every answer ends its connection (R20-166). */
  isDraining(): boolean
}

/** `connections`: how many clients are connected now. */
export function createContext(deps: EngineDeps, isDraining: () => boolean, connections: () => number): EngineContext {
  const { settings } = deps
  const { clock } = deps
  const parts = createEngineParts(deps, {
    get nowMs() {
      return clock.monotonicMs()
    },
  })
  const { limits } = parts
  return {
    ...parts,
    pool: new UpstreamPool({
      dialer: new WayDialer({ limits, connectTimeoutMs: settings.connectTimeoutMs, nowMs: () => clock.monotonicMs() }),
      timeoutMs: settings.connectTimeoutMs,
      bufferBytes: settings.connectionBufferBytes,
      maxIdle: limits.upstreamPoolIdle,
      idleTimeoutMs: limits.upstreamIdleTimeoutMs,
      room: () => idleRoom(settings.maxSockets ?? Number.POSITIVE_INFINITY, connections()),
    }),
    isDraining,
  }
}
