// One active check of an endpoint that is spoken to by TLS or HTTP/2 (R20-150, R21-31, R22-16): as requests reach it.
import { request as startRequest } from 'node:http'
import { connect as startSession } from 'node:http2'
import type { Socket } from 'node:net'
import type { Cancel } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { HealthCheck } from '../model/policy.ts'
import { type CheckParts, checkFields, followCheck, isGoodStatus, listenTo, type Settle } from './check-exchange.ts'
import { codeOf } from './upstream/connect-failure.ts'
import { awaitReached, startByWay } from './upstream/reach.ts'
import type { SecureContexts } from './upstream/secure-contexts.ts'
import { isHttp2, type UpstreamWay } from './upstream/way.ts'

export interface WayCheck {
  readonly endpoint: Endpoint
  readonly check: HealthCheck
  readonly way: UpstreamWay
}

/** As `CheckEndpoint`: what the way asks of a certificate is part of the check. */
export function checkByWay(asked: WayCheck, contexts: SecureContexts, parts: CheckParts): Cancel {
  const { endpoint, check, way } = asked
  const socket = startByWay(endpoint, way, { contexts })
  return followCheck(socket, check, parts, (settle) => {
    awaitReached(socket, way, (fault) => {
      if (fault !== undefined) settle(false, fault)
      else if (isHttp2(way)) askByHttp2(socket, asked, settle)
      else askByHttp1(socket, asked, settle)
    })
  })
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
