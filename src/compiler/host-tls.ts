// What annotations say about the handshakes for a host (R11-111, R11-112, R21-30), and whether it has TLS at all.
import { AnnotationReader } from '../annotations/annotation-reader.ts'
import { readHandshakes, SSL_PASSTHROUGH } from '../annotations/host-tls.ts'
import { wildcardOver } from '../lib/host-name.ts'
import { withoutAbsent } from '../lib/without-absent.ts'
import type { TlsPolicy } from '../model/certificate-table.ts'
import { ANY_HOST, type Route } from '../model/route-table.ts'
import type { Contribution } from './contribution.ts'
import type { ContributionIndex } from './contribution-index.ts'
import type { Finding } from './finding.ts'
import type { OldestTexts } from './oldest-texts.ts'
import { hostName } from './read-ingress.ts'

/** What annotations say about the handshakes for one host; it stands in the outcome of that host. */
export interface HostTls {
  readonly policy: TlsPolicy
  /** The bytes go to a backend unread; whoever else has TLS entries for the host is told (R21-30). */
  readonly passthrough?: { readonly backend: string; readonly by: Contribution }
}

export interface HostTlsReading {
  /** `undefined`: nothing is said. */
  readonly tls: HostTls | undefined
  readonly findings: readonly Finding[]
}

/** `taker`: the route that takes `/`, whose backend gets what is passed through. */
export function readHostTls(host: string, said: OldestTexts, taker: Route | undefined): HostTlsReading {
  const { passthrough: isAsked, ...settings } = readHandshakes(new AnnotationReader(said.texts))
  const policy: TlsPolicy = withoutAbsent(settings)
  const by = isAsked === true ? said.holders.get(SSL_PASSTHROUGH) : undefined
  if (!by) return { tls: Object.keys(policy).length === 0 ? undefined : { policy }, findings: [] }
  const backend = host === ANY_HOST ? undefined : backendOf(taker)
  if (backend !== undefined) return { tls: { policy, passthrough: { backend, by } }, findings: [] }
  const why = host === ANY_HOST ? 'names no server' : `has no backend for ${hostName(host)}: no Service takes its "/"`
  const finding = { object: by.object, field: SSL_PASSTHROUGH, found: `${SSL_PASSTHROUGH} ${why}` }
  const findings = [{ ...finding, reason: 'InvalidAnnotation' as const, effect: 'its default holds' }]
  return { tls: Object.keys(policy).length === 0 ? undefined : { policy }, findings }
}

/** That with the largest share: one connection goes to one backend. */
function backendOf(taker: Route | undefined): string | undefined {
  const backends = taker?.action.kind === 'forward' ? taker.action.backends : []
  return backends.toSorted((a, b) => b.weight - a.weight)[0]?.backend
}

/** Reports whether anybody has a TLS entry for a host, or for the wildcard that takes its handshakes (R21-8). */
export function hasTls(host: string, names: ContributionIndex): boolean {
  return names.get(host) !== undefined || names.get(wildcardOver(host)) !== undefined
}
