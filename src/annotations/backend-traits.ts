import { parseBalancingPolicy, parseHashKey } from '../model/balancing-policy.ts'
import type { ClassFields } from '../model/class-fields.ts'
import type { HealthCheck } from '../model/policy.ts'
import type { Backend, BalancingPolicy, HashKey } from '../model/route-table.ts'
import { AnnotationReader } from './annotation-reader.ts'
import { type HealthSettings, readBackendSettings } from './backend-settings.ts'

/** How a Service port is balanced, dialled, checked and spoken to. */
export type BackendTraits = Pick<
  Backend,
  'policy' | 'slowStartMs' | 'healthCheck' | 'dialsService' | 'protocol' | 'tls'
>

/** What is checked where nobody says how (R42-19). */
const DEFAULT_CHECK: HealthCheck = {
  path: '/',
  intervalMs: 5000,
  timeoutMs: 1000,
  healthy: 1,
  unhealthy: 3,
  statuses: [[200, 399]],
}

/**
 * The traits by the good `texts` of all objects that name the port, over those of the class (R11-17), but for what is
 * spoken to it: that hangs on objects of the cluster too.
 */
export function backendTraits(texts: ReadonlyMap<string, string>, fields: ClassFields): BackendTraits {
  const hashKey = classKey(fields)
  const { policy, dialsService, slowStartMs, health } = readBackendSettings(new AnnotationReader(texts), hashKey)
  const healthCheck = checkOf(health, fields)
  return {
    policy: policy ?? classPolicy(fields, hashKey),
    ...(slowStartMs === undefined ? {} : { slowStartMs }),
    ...(healthCheck === undefined ? {} : { healthCheck }),
    ...((dialsService ?? fields.routingMode === 'service') ? { dialsService: true } : {}),
  }
}

function classPolicy({ loadBalancing }: ClassFields, hashKey: HashKey | undefined): BalancingPolicy {
  const policy = loadBalancing === undefined ? undefined : parseBalancingPolicy(loadBalancing, hashKey)
  return policy?.ok === true ? policy.value : 'roundRobin'
}

function classKey({ loadBalancingKey }: ClassFields): HashKey | undefined {
  const key = loadBalancingKey === undefined ? undefined : parseHashKey(loadBalancingKey)
  return key?.ok === true ? key.value : undefined
}

/** The check of the object's own annotations, else that of the class (R20-148); `undefined`: readiness is trusted. */
function checkOf({ mode, check }: HealthSettings, fields: ClassFields): HealthCheck | undefined {
  if (check.path !== undefined) return { ...DEFAULT_CHECK, ...check }
  if ((mode ?? fields.healthMode) !== 'probe') return undefined
  return { ...(fields.healthCheck ?? DEFAULT_CHECK), ...check }
}
