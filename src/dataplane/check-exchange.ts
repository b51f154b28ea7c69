// What every active check sends and how its answer is judged, whatever carries it (R20-150).
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { Timers } from '../lib/timers.ts'
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
export function listenTo(
  request: ClientRequest,
  check: HealthCheck,
  settle: (isGood: boolean, found: string) => void,
): void {
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
