// One active check of one endpoint (R20-150): a connection of its own, made and gone with the check.
import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http'
import { messageOf } from '../lib/errors.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { HealthCheck } from '../model/policy.ts'

export interface CheckOutcome {
  readonly isGood: boolean
  /** What came, for the log: `status 503`, `ECONNREFUSED`, `no answer in time`. */
  readonly found: string
}

/**
 * Checks an endpoint and calls `done` once, later, when no socket of the check is left. The result takes the check
 * back: its socket is destroyed and `done` is not called.
 */
export type CheckEndpoint = (endpoint: Endpoint, check: HealthCheck, done: (outcome: CheckOutcome) => void) => Cancel

/** Checks over HTTP/1.1 and plain TCP. */
export function httpChecks(timers: Timers): CheckEndpoint {
  return (endpoint, check, done) => {
    const request = requestOf(endpoint, check)
    if (!request.ok) return timers.after(0, () => done({ isGood: false, found: request.error }))
    return follow(request.value, check, { timers, done })
  }
}

interface Following {
  readonly timers: Timers
  readonly done: (outcome: CheckOutcome) => void
}

function follow(request: ClientRequest, check: HealthCheck, { timers, done }: Following): Cancel {
  let outcome: CheckOutcome | undefined
  const settle = (isGood: boolean, found: string): void => {
    outcome ??= { isGood, found }
  }
  // The whole exchange has this time. What a body is cut short by does not change the verdict of its head.
  const cancelTimer = timers.after(check.timeoutMs, () => {
    settle(false, 'no answer in time')
    request.destroy()
  })
  const ended = (): void => {
    cancelTimer()
    done(outcome ?? { isGood: false, found: 'no answer' })
  }
  listen(request, check, settle)
  request.once('close', ended)
  request.end()
  return () => {
    cancelTimer()
    request.off('close', ended)
    request.destroy()
  }
}

function listen(
  request: ClientRequest,
  { statuses }: HealthCheck,
  settle: (isGood: boolean, found: string) => void,
): void {
  const judge = ({ statusCode = 0 }: IncomingMessage): void => {
    const isGood = statuses.some(([from, to]) => statusCode >= from && statusCode <= to)
    settle(isGood, `status ${statusCode}`)
  }
  request.on('response', (response) => {
    judge(response)
    response.on('error', () => undefined)
    response.resume()
  })
  request.on('upgrade', (response, socket) => {
    judge(response)
    socket.destroy()
  })
  request.on('error', (error) => settle(false, codeOf(error)))
}

type Requested = { readonly ok: true; readonly value: ClientRequest } | { readonly ok: false; readonly error: string }

function requestOf({ address, host, port }: Endpoint, check: HealthCheck): Requested {
  const fields = ['Host', check.host ?? address, 'User-Agent', 'ramjet-health-check', 'Connection', 'close']
  for (const [name, value] of check.headers ?? []) fields.push(name, value)
  try {
    const value = startRequest({
      host,
      port,
      path: check.path,
      headers: fields,
      agent: false,
      setHost: false,
      setDefaultHeaders: false,
    })
    return { ok: true, value }
  } catch (thrown) {
    // Path and fields were checked where they were read; a throw here must cost this check and not the process.
    return { ok: false, error: messageOf(thrown) }
  }
}

function codeOf(error: Error): string {
  return 'code' in error && typeof error.code === 'string' ? error.code : error.message
}
