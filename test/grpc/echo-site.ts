// The tables for tests of gRPC: hosts that lead to the echo service, each with a certificate.
import { digestOfBackend, digestOfEndpoints, digestOfVirtualHost } from '../../src/model/elements.ts'
import type { Pair } from '../../src/model/generation.ts'
import type { RoutePolicy } from '../../src/model/policy.ts'
import type { Backend } from '../../src/model/route-table.ts'
import { asPair, withEndpointsDigest, withRoutesDigest } from '../builders/pair.ts'
import { backend, endpoint, prefix, virtualHost } from '../builders/route-table.ts'
import { certificateTableOf } from '../builders/secure-names.ts'
import type { KeyPair } from '../fakes/certificates.ts'

/** What one host is for. */
export interface EchoHost {
  readonly address: string
  readonly backend?: Partial<Backend>
  readonly policy?: RoutePolicy
}

/** Every host with one route to a backend of its own; all of them show `pair`. */
export function echoSite(hosts: Readonly<Record<string, EchoHost>>, pair: KeyPair): Pair {
  const names = Object.keys(hosts)
  const backends = Object.entries(hosts).map(([name, host]): [string, Backend] => {
    const one = backend(name, { ...host.backend })
    return [name, { ...one, digest: digestOfBackend(one) }]
  })
  const virtualHosts = Object.entries(hosts).map(([name, { policy }]) => {
    const action = { kind: 'forward', backends: [{ backend: name, weight: 1 }] } as const
    const one = virtualHost(name, [prefix('', { id: name, action, ...(policy && { policy }) })])
    return { ...one, digest: digestOfVirtualHost(one) }
  })
  const endpoints = Object.entries(hosts).map(([name, { address }]) => {
    const one = { backend: name, endpoints: [endpoint(address)] }
    return { ...one, digest: digestOfEndpoints(one) }
  })
  const routes = withRoutesDigest({
    hosts: new Map(virtualHosts.map((host) => [host.host, host])),
    backends: new Map(backends),
    defaultRoute: undefined,
    certificates: certificateTableOf(
      Object.fromEntries(['nobody.example', ...names].map((name) => [name, { pairs: [pair] }])),
    ),
  })
  return asPair({ routes, endpoints: withEndpointsDigest(endpoints) })
}
