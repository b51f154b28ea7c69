// What an external name resolves to -> endpoints (R10-38). Only addresses leave here: what was judged is what is dialled.
import type { Service, ServicePort } from '../api/core.ts'
import { endpointAddress, ipFamily } from '../lib/ip.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { DialRules } from './dial-rules.ts'
import { compareText } from './order.ts'
import type { ResolvedName } from './snapshot.ts'

/** A Service (`namespace/name`) that stands for a name outside the cluster. */
export interface ExternalName {
  readonly service: string
  readonly name: string
}

/** The name that is to be resolved for a Service of type ExternalName; `undefined`: it has none. */
export function externalOf(key: string, { spec }: Service): ExternalName | undefined {
  return spec?.externalName ? { service: key, name: spec.externalName } : undefined
}

/** The addresses of the name as endpoints, and those that nobody may dial (R20-184). None while it is not resolved. */
export function externalEndpoints(
  { spec }: Service,
  port: ServicePort,
  resolved: ResolvedName | undefined,
  rules: DialRules,
): { readonly endpoints: readonly Endpoint[]; readonly denied: readonly string[] } {
  const number = dialledPort(port)
  const hosts = resolved?.name === spec?.externalName ? (resolved?.addresses ?? []) : []
  const valid = [...new Set(hosts)].filter((host) => ipFamily(host) !== undefined)
  const endpoints = valid.map((host): Endpoint => {
    return { address: endpointAddress(host, number), host, port: number, weight: 1, readiness: 'ready' }
  })
  return {
    endpoints: endpoints.filter(({ host }) => rules.mayDial(host, number)).toSorted(byFamilyAndAddress),
    denied: endpoints
      .filter(({ host }) => !rules.mayDial(host, number))
      .map(({ address }) => address)
      .toSorted(),
  }
}

/** The target port where it is a number: no pod is there to say what a name means. */
function dialledPort({ port, targetPort }: ServicePort): number {
  return typeof targetPort === 'number' && targetPort > 0 && targetPort < 65_536 ? targetPort : port
}

function byFamilyAndAddress(a: Endpoint, b: Endpoint): number {
  return (ipFamily(a.host) ?? 0) - (ipFamily(b.host) ?? 0) || compareText(a.address, b.address)
}
