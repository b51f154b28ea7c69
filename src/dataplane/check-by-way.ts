// One active check of an endpoint that is spoken to by TLS or HTTP/2 (R20-150, R21-31, R22-16): as requests reach it.
import { request as startRequest } from 'node:http'
import { connect as startSession } from 'node:http2'
import { connect, type Socket } from 'node:net'
import type { Cancel } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { HealthCheck } from '../model/policy.ts'
import { type CheckOutcome, type CheckParts, checkFields, isGoodStatus, listenTo } from './check-exchange.ts'
import { codeOf } from './upstream/connect-failure.ts'
import { awaitTrust, startSecurely } from './upstream/secure-connect.ts'
import type { SecureContexts } from './upstream/secure-contexts.ts'
import { isHttp2, type UpstreamWay } from './upstream/way.ts'

export interface WayCheck {
  readonly endpoint: Endpoint
  readonly check: HealthCheck
  readonly way: UpstreamWay
}

type Settle = (isGood: boolean, found: string) => void

/** As `CheckEndpoint`: what the way asks of a certificate is part of the check. */
export function checkByWay(asked: WayCheck, contexts: SecureContexts, { timers, done }: CheckParts): Cancel {
  let outcome: CheckOutcome | undefined
  const settle: Settle = (isGood, found) => {
    outcome ??= { isGood, found }
  }
  const socket = start(asked, contexts)
  const cancelTimer = timers.after(asked.check.timeoutMs, () => {
    settle(false, 'no answer in time')
    socket.destroy()
  })
  const ended = (): void => {
    cancelTimer()
    done(outcome ?? { isGood: false, found: 'no answer' })
  }
  socket.once('close', ended)
  reach(socket, asked, (fault) => {
    if (fault !== undefined) settle(false, fault)
    else if (isHttp2(asked.way)) askByHttp2(socket, asked, settle)
    else askByHttp1(socket, asked, settle)
  })
  return () => {
    cancelTimer()
    socket.off('close', ended)
    socket.destroy()
  }
}

function start({ endpoint, way }: WayCheck, contexts: SecureContexts): Socket {
  if (way.tls) return startSecurely(endpoint, way, { contexts })
  return connect({ host: endpoint.host, port: endpoint.port, noDelay: true, autoSelectFamily: false })
}

function reach(socket: Socket, { way }: WayCheck, done: (fault: string | undefined) => void): void {
  if (way.tls) {
    awaitTrust(socket, way, done)
    return
  }
  socket.on('error', (error) => done(codeOf(error)))
  socket.once('connect', () => done(undefined))
}

function askByHttp1(socket: Socket, { endpoint, check }: WayCheck, settle: Settle): void {
  try {
    const request = startRequest({
      createConnection: () => socket,
      path: check.path,
      headers: checkFields(endpoint, check),
      setHost: false,
      setDefaultHeaders: false,
    })
    listenTo(request, check, settle)
    request.once('close', () => socket.destroy())
    request.end()
  } catch (thrown) {
    giveUp(socket, thrown, settle)
  }
}

function askByHttp2(socket: Socket, asked: WayCheck, settle: Settle): void {
  const { endpoint, check } = asked
  const session = startSession(`http://${endpoint.address}`, { createConnection: () => socket })
  session.on('error', (error) => settle(false, codeOf(error)))
  session.once('close', () => socket.destroy())
  try {
    const stream = session.request(h2Fields(asked), { endStream: true })
    stream.once('response', ({ ':status': status = 0 }) => settle(isGoodStatus(status, check), `status ${status}`))
    stream.on('error', (error) => settle(false, codeOf(error)))
    stream.resume()
    stream.once('close', () => session.destroy())
  } catch (thrown) {
    giveUp(session, thrown, settle)
  }
}

function h2Fields({ endpoint, check, way }: WayCheck): string[] {
  const fields = [':method', 'GET', ':scheme', way.tls ? 'https' : 'http', ':path', check.path]
  fields.push(':authority', check.host ?? endpoint.address)
  fields.push('user-agent', 'ramjet-health-check')
  for (const [name, value] of check.headers ?? []) fields.push(name.toLowerCase(), value)
  return fields
}

/** Path and fields were checked where they were read; a throw here must cost this check and not the process. */
function giveUp(what: { destroy(): void }, thrown: unknown, settle: Settle): void {
  settle(false, thrown instanceof Error ? codeOf(thrown) : 'cannot be asked')
  what.destroy()
}
