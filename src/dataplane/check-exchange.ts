// What every active check sends and how its answer is judged, whatever carries it (R20-150).
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { HealthCheck } from '../model/policy.ts'
import { codeOf } from './upstream/connect-failure.ts'

export interface CheckOutcome {
  readonly isGood: boolean
  /** What came, for the log: `status 503`, `ECONNREFUSED`, `no answer in time`. */
  readonly found: string
}

export interface CheckParts {
  readonly timers: Timers
  readonly done: (outcome: CheckOutcome) => void
}

/** Settles a check; what comes first counts. */
export type Settle = (isGood: boolean, found: string) => void

/** What a check is carried by, and gone with: a request or a socket. */
export interface Carrier {
  once(event: 'close', listener: () => void): unknown
  off(event: 'close', listener: () => void): unknown
  destroy(): unknown
}

/**
 * Gives a check its time, and tells what it was settled by when `carrier` has closed. `begin` asks. The result takes the
 * check back: nothing is told then.
 */
export function followCheck(
  carrier: Carrier,
  { timeoutMs }: HealthCheck,
  { timers, done }: CheckParts,
  begin: (settle: Settle) => void,
): Cancel {
  let outcome: CheckOutcome | undefined
  const settle: Settle = (isGood, found) => {
    outcome ??= { isGood, found }
  }
  // The whole exchange has this time. What a body is cut short by does not change the verdict of its head.
  const cancelTimer = timers.after(timeoutMs, () => {
    settle(false, 'no answer in time')
    carrier.destroy()
  })
  const ended = (): void => {
    cancelTimer()
    done(outcome ?? { isGood: false, found: 'no answer' })
  }
  carrier.once('close', ended)
  begin(settle)
  return () => {
    cancelTimer()
    carrier.off('close', ended)
    carrier.destroy()
  }
}

/** The fields of a check over HTTP/1.1. */
export function checkFields({ address }: Endpoint, check: HealthCheck): string[] {
  const fields = ['Host', check.host ?? address, 'User-Agent', 'ramjet-health-check', 'Connection', 'close']
  for (const [name, value] of check.headers ?? []) fields.push(name, value)
  return fields
}

export function isGoodStatus(status: number, { statuses }: HealthCheck): boolean {
  return statuses.some(([from, to]) => status >= from && status <= to)
}

/** Settles the check by what becomes of `request`. */
export function listenTo(request: ClientRequest, check: HealthCheck, settle: Settle): void {
  const judge = ({ statusCode = 0 }: IncomingMessage): void =>
    settle(isGoodStatus(statusCode, check), `status ${statusCode}`)
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
