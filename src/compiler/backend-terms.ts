// What holds for a Service port, whichever route leads to it: keys of scope `backend`, each of the oldest Ingress that
// sets it, over the class of the oldest of them whose class sets anything (R11-15, R11-17).
import { AnnotationReader } from '../annotations/annotation-reader.ts'
import { type BackendSettings, readBackendSettings } from '../annotations/backend-settings.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import { type BackendSources, resolveBackend, serviceKeyOf } from './backends.ts'
import { changedKeys } from './changed-keys.ts'
import type { Contribution } from './contribution.ts'
import type { Finding, Notes } from './finding.ts'
import { type Groups, refsOf } from './groups.ts'
import { oldestTexts } from './oldest-texts.ts'
import { PersistentMap } from './persistent-map.ts'

export interface BackendTerms {
  readonly settings: BackendSettings
  readonly fields: ClassFields
}

/** Of a backend about which nobody says anything. */
export const NO_BACKEND_TERMS: BackendTerms = {
  settings: readBackendSettings(new AnnotationReader(new Map())),
  fields: NO_CLASS_FIELDS,
}

/** By backend of one Service. */
type ServiceTerms = ReadonlyMap<string, BackendTerms>

export interface BackendTermsState {
  readonly byService: PersistentMap<ServiceTerms>
  readonly services: BackendSources['services']
}

export function emptyBackendTerms(): BackendTermsState {
  return { byService: new PersistentMap(), services: new Map() }
}

/** The terms of a cluster backend, by the Service that its name begins with. */
export function termsOf(state: BackendTermsState, service: string, backend: string): BackendTerms {
  return state.byService.get(service)?.get(backend) ?? NO_BACKEND_TERMS
}

/** Settles the Services of `touched` and those that are another object now: a port may have another number. */
export function compileBackendTerms(
  { byService }: Groups,
  touched: ReadonlySet<string>,
  sources: BackendSources,
  last: BackendTermsState,
): { readonly state: BackendTermsState; readonly changed: ReadonlySet<string>; readonly notes: Notes } {
  const stale = [...changedKeys(last.services, sources.services)].filter((service) => byService.get(service))
  const changed = new Set<string>()
  const notes = new Map<string, readonly Finding[]>()
  const settled = [...new Set([...touched, ...stale])].map((service) => {
    const { terms, findings } = settleService(service, byService.get(service) ?? [], sources)
    notes.set(`service ${service}`, findings)
    const before = last.byService.get(service)
    for (const name of changedTerms(before ?? new Map(), terms)) changed.add(name)
    return [service, terms.size === 0 ? undefined : terms] as const
  })
  return { state: { byService: last.byService.with(settled), services: sources.services }, changed, notes }
}

function settleService(
  service: string,
  contributions: readonly Contribution[],
  sources: BackendSources,
): { readonly terms: ServiceTerms; readonly findings: readonly Finding[] } {
  const terms = new Map<string, BackendTerms>()
  const findings: Finding[] = []
  for (const [name, users] of usersOf(service, contributions, sources)) {
    const said = oldestTexts(users, ({ backendTexts }) => backendTexts, `the Service port ${name}`)
    const settings = readBackendSettings(new AnnotationReader(said.texts))
    terms.set(name, { settings, fields: fieldsOf(users) })
    findings.push(...said.findings)
  }
  return { terms, findings }
}

function fieldsOf(users: readonly Contribution[]): ClassFields {
  return users.find(({ terms }) => Object.keys(terms.fields).length > 0)?.terms.fields ?? NO_CLASS_FIELDS
}

/** By backend of the Service, who names it, in order of age. */
function usersOf(
  service: string,
  contributions: readonly Contribution[],
  sources: BackendSources,
): ReadonlyMap<string, readonly Contribution[]> {
  const users = new Map<string, Set<Contribution>>()
  for (const contribution of contributions) {
    for (const ref of refsOf(contribution)) {
      if (serviceKeyOf(ref) !== service) continue
      const target = resolveBackend(ref, sources)
      if (target.kind !== 'backend') continue
      const named = users.get(target.name) ?? new Set()
      users.set(target.name, named.add(contribution))
    }
  }
  return new Map([...users].map(([name, named]) => [name, [...named]]))
}

function changedTerms(before: ServiceTerms, after: ServiceTerms): readonly string[] {
  const names = [...new Set([...before.keys(), ...after.keys()])]
  return names.filter((name) => JSON.stringify(before.get(name)) !== JSON.stringify(after.get(name)))
}
