// What the users of a backend are told about its endpoints (R10-36, R20-185).
import { type BackendUsers, DEFAULT_USER } from './backend-users.ts'
import type { DefaultState } from './default-route.ts'
import type { EndpointState } from './endpoint-table.ts'
import type { CompiledEndpoints } from './endpoints.ts'
import { type Finding, type Notes, quote } from './finding.ts'
import type { HostState } from './host-table.ts'
import type { BackendUse } from './routing.ts'

/** Where the users of a backend are looked up. */
export interface UserSources {
  readonly users: BackendUsers
  readonly hosts: HostState
  readonly defaultRoute: DefaultState
}

/** The notes on these backends. */
export function noteEndpoints(names: Iterable<string>, { outcomes }: EndpointState, sources: UserSources): Notes {
  const notes = new Map<string, readonly Finding[]>()
  for (const name of names) {
    const outcome = outcomes.get(name)
    notes.set(`backend ${name}`, outcome ? findingsOf(name, outcome, sources) : [])
  }
  return notes
}

function findingsOf(name: string, outcome: CompiledEndpoints, sources: UserSources): readonly Finding[] {
  const { entry, denied, findings, external } = outcome
  if (entry.endpoints.length > 0 && denied.length === 0) return findings
  const uses = usesOf(name, sources)
  const missing = entry.endpoints.length === 0 ? uses.map((use) => missingFor(use)) : []
  if (denied.length === 0) return [...findings, ...missing]
  const refused = uses.map((use) => deniedFor(use, denied))
  // What a name resolves to may change by the second: that is for the log (R20-185).
  const told = external ? refused.map((finding) => ({ ...finding, channel: 'log' as const })) : refused
  return [...findings, ...missing, ...told]
}

function usesOf(name: string, { users, hosts, defaultRoute }: UserSources): readonly BackendUse[] {
  const all = [...(users.get(name) ?? [])].flatMap((user) =>
    user === DEFAULT_USER ? defaultRoute.uses : (hosts.outcomes.get(user)?.uses ?? []),
  )
  return all.filter(({ backend }) => backend === name)
}

function missingFor({ object, field, label, backend }: BackendUse): Finding {
  const found = `${label} goes to ${quote(backend)}, which has no usable endpoint`
  const effect = 'such requests are answered 503 with Retry-After'
  return { reason: 'EndpointsMissing', object, field, found, effect }
}

function deniedFor({ object, field, label, backend }: BackendUse, denied: readonly string[]): Finding {
  const more = denied.length > 3 ? ` and ${denied.length - 3} more` : ''
  const addresses = `${denied.slice(0, 3).join(', ')}${more}`
  const found = `${label} goes to ${quote(backend)}, whose endpoints include ${addresses}`
  const effect = 'such addresses are never dialled'
  return { reason: 'UpstreamAddressDenied', object, field, found, effect }
}
