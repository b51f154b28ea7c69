// What all HTTP/2 connections of one worker share.
import { randomBytes } from 'node:crypto'
import type { ServerSessionOptions } from 'node:http2'
import type { Http2RequestUse } from '../../../http/h2-request-to-h1.ts'
import type { Clock } from '../../../lib/clock.ts'
import type { Random } from '../../../lib/random.ts'
import type { BufferBudget } from '../../buffer-budget.ts'
import type { Engine, WorkerCounters } from '../../engine.ts'
import { DEFAULT_LIMITS, type EngineLimits } from '../../engine-limits.ts'
import { SOCKET_LINGER_MS } from '../../http2-limits.ts'
import type { Http2Settings } from '../../secure-settings.ts'
import { sessionOptions } from './session-options.ts'
import type { Scratch } from './stream-request.ts'

export interface Http2LaneDeps {
  /** Serves the messages that streams are turned into. */
  readonly engine: Pick<Engine, 'accept' | 'serve'>
  readonly http2: Http2Settings
  readonly limits?: Partial<EngineLimits> | undefined
  readonly connectionBufferBytes: number
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly budget: BufferBudget
  readonly clock: Clock
  readonly random: Random
}

export interface Http2Context extends Omit<Http2LaneDeps, 'limits'> {
  readonly limits: EngineLimits
  readonly sessionOptions: ServerSessionOptions
  readonly scratch: Scratch
  /** What may wait in one stream before who writes it is told. */
  readonly heldFromBytes: number
  /** In-memory connections that one client's session keeps between two streams. */
  readonly maxFree: number
  /** How long a socket may outlive its session (R20-107). */
  readonly closeTimeoutMs: number
  requestUse(endsWithHead: boolean): Http2RequestUse
}

const SCRATCH_BYTES = 32 * 1024
const HELD_FROM_BYTES = 16 * 1024
const MAX_FREE = 32
const KEY_BYTES = 16

export function createContext(deps: Http2LaneDeps): Http2Context {
  const limits = { ...DEFAULT_LIMITS, ...deps.limits }
  const { http2, connectionBufferBytes } = deps
  const { maxHeaderBytes } = limits
  const use = { maxHeaders: http2.maxHeaders, maxHeaderBytes, webSocketKey }
  const open = { ...use, endsWithHead: false }
  const whole = { ...use, endsWithHead: true }
  return {
    ...deps,
    limits,
    sessionOptions: sessionOptions({ http2, limits, connectionBufferBytes }),
    scratch: { bytes: Buffer.allocUnsafeSlow(SCRATCH_BYTES) },
    heldFromBytes: Math.min(HELD_FROM_BYTES, connectionBufferBytes / 2),
    maxFree: MAX_FREE,
    closeTimeoutMs: SOCKET_LINGER_MS,
    requestUse: (endsWithHead) => (endsWithHead ? whole : open),
  }
}

function webSocketKey(): string {
  return randomBytes(KEY_BYTES).toString('base64')
}
