// What one object's keys, and its class under them, come to for one of its routes (R11-17).
import { withoutAbsent } from '../lib/without-absent.ts'
import type { ClassFields, ClassRetry } from '../model/class-fields.ts'
import type { RetryPolicy, RoutePolicy } from '../model/policy.ts'
import type { RetrySettings, TimeoutSettings } from './timeouts.ts'

/** The limits of a route; `undefined` where nothing is set and the process's own hold. */
export function timeoutPolicy(settings: TimeoutSettings, fields: ClassFields): RoutePolicy | undefined {
  const responseTimeoutMs = settings.readTimeoutMs ?? fields.responseTimeoutMs
  const policy: RoutePolicy = withoutAbsent({
    connectTimeoutMs: settings.connectTimeoutMs,
    responseTimeoutMs,
    upstreamSendTimeoutMs: settings.sendTimeoutMs ?? fields.responseTimeoutMs,
    // R20-94: the annotation reaches tunnels too, the class's timeout does not.
    tunnelIdleTimeoutMs: settings.readTimeoutMs,
    maxBodyBytes: settings.maxBodyBytes,
    requestBufferBytes: settings.requestBufferBytes,
    maxResponseHeaderBytes: settings.maxResponseHeaderBytes,
    retry: retryPolicy(settings.retry, fields.retry),
  })
  return Object.keys(policy).length === 0 ? undefined : policy
}

/** What a class sets for routes that are no object's. */
export function classPolicy(fields: ClassFields): RoutePolicy | undefined {
  return timeoutPolicy(NOTHING_SET, fields)
}

const NOTHING_SET: TimeoutSettings = {
  connectTimeoutMs: undefined,
  readTimeoutMs: undefined,
  sendTimeoutMs: undefined,
  maxBodyBytes: undefined,
  requestBufferBytes: undefined,
  maxResponseHeaderBytes: undefined,
  retry: { on: undefined, tries: undefined, timeoutMs: undefined },
}

/** `undefined` where neither the object nor its class says anything. */
function retryPolicy(settings: RetrySettings, ofClass: ClassRetry | undefined): RetryPolicy | undefined {
  const base = ofClass && classRetry(ofClass)
  const { on, tries, timeoutMs } = settings
  if (on === undefined && tries === undefined && timeoutMs === undefined) return base
  const policy = withoutAbsent({ tries: tries ?? base?.tries, timeoutMs, backoffMs: base?.backoffMs })
  return { on: on ?? base?.on ?? ['connect'], ...policy }
}

function classRetry({ attempts, on, backoffMs }: ClassRetry): RetryPolicy {
  const causes = on.map((cause) => (cause === 'connect' ? cause : (`http_${cause}` as const)))
  return { on: attempts === 0 ? [] : causes, tries: attempts + 1, backoffMs }
}
