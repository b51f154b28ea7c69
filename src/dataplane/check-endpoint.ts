// One active check of one endpoint (R20-150): a connection of its own, made and gone with the check.
import { type ClientRequest, request as startRequest } from 'node:http'
import { messageOf } from '../lib/errors.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { HealthCheck } from '../model/policy.ts'
import { checkByWay } from './check-by-way.ts'
import { type CheckOutcome, checkFields, followCheck, listenTo } from './check-exchange.ts'
import { SecureContexts } from './upstream/secure-contexts.ts'
import type { UpstreamWay } from './upstream/way.ts'

/** How an endpoint is checked, and how it is spoken to. */
export interface EndpointCheck extends HealthCheck {
  /** `undefined`: HTTP/1.1 in plaintext. */
  readonly way?: UpstreamWay | undefined
}

/**
 * Checks an endpoint and calls `done` once, later, when no socket of the check is left. The result takes the check
 * back: its socket is destroyed and `done` is not called.
 */
export type CheckEndpoint = (endpoint: Endpoint, check: EndpointCheck, done: (outcome: CheckOutcome) => void) => Cancel

/** Checks as requests reach the endpoint. */
export function endpointChecks(timers: Timers): CheckEndpoint {
  const contexts = new SecureContexts()
  return (endpoint, { way, ...check }, done) => {
    if (way) return checkByWay({ endpoint, check, way }, contexts, { timers, done })
    const request = requestOf(endpoint, check)
    if (!request.ok) return timers.after(0, () => done({ isGood: false, found: request.error }))
    return followCheck(request.value, check, { timers, done }, (settle) => {
      listenTo(request.value, check, settle)
      request.value.end()
    })
  }
}

type Requested = { readonly ok: true; readonly value: ClientRequest } | { readonly ok: false; readonly error: string }

function requestOf(endpoint: Endpoint, check: HealthCheck): Requested {
  try {
    const value = startRequest({
      host: endpoint.host,
      port: endpoint.port,
      path: check.path,
      headers: checkFields(endpoint, check),
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
