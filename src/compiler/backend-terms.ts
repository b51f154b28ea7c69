// What holds for a Service port, whichever route leads to it: keys of scope `backend`, each of the oldest Ingress that
// sets it, over the class of the oldest of them whose class sets anything (R11-15, R11-17).
import { type BackendTraits, backendTraits } from '../annotations/backend-traits.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import {
  type BackendSources,
  isHeadless,
  resolveBackend,
  serviceKeyOf,
  serviceOf,
  splitBackendName,
} from './backends.ts'
import { changedKeys } from './changed-keys.ts'
import type { Contribution } from './contribution.ts'
import { changeSet } from './copy-on-change.ts'
import type { Finding, Notes } from './finding.ts'
import { type Groups, refsOf } from './groups.ts'
import { oldestTexts } from './oldest-texts.ts'
import { PersistentMap } from './persistent-map.ts'

/** Of a backend about which nobody says anything. */
const NO_TERMS: BackendTraits = backendTraits(new Map(), NO_CLASS_FIELDS)

/** By backend of one Service. */
type ServiceTerms = ReadonlyMap<string, BackendTraits>

export interface BackendTermsState {
  readonly byService: PersistentMap<ServiceTerms>
  readonly services: BackendSources['services']
  /** Backends that are to be dialled by a cluster IP which they lack, at a port that only pods know (R50-17). */
  readonly undialable: ReadonlySet<string>
}

export function emptyBackendTerms(): BackendTermsState {
  return { byService: new PersistentMap(), services: new Map(), undialable: new Set() }
}

/** The terms of a cluster backend, by the Service that its name begins with. */
export function termsOf(state: BackendTermsState, service: string, backend: string): BackendTraits {
  return state.byService.get(service)?.get(backend) ?? NO_TERMS
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
  const dialling: (readonly [string, boolean])[] = []
  const settled = [...new Set([...touched, ...stale])].map((service) => {
    const { terms, findings } = settleService(service, byService.get(service) ?? [], sources)
    notes.set(`service ${service}`, findings)
    const before = last.byService.get(service)
    for (const name of changedTerms(before ?? new Map(), terms)) changed.add(name)
    for (const name of before?.keys() ?? []) dialling.push([name, false])
    for (const [name, traits] of terms) dialling.push([name, isUndialable(name, traits, sources)])
    return [service, terms.size === 0 ? undefined : terms] as const
  })
  const state: BackendTermsState = {
    byService: last.byService.with(settled),
    services: sources.services,
    undialable: changeSet(last.undialable, new Map(dialling)),
  }
  return { state, changed, notes }
}

function settleService(
  service: string,
  contributions: readonly Contribution[],
  sources: BackendSources,
): { readonly terms: ServiceTerms; readonly findings: readonly Finding[] } {
  const terms = new Map<string, BackendTraits>()
  const findings: Finding[] = []
  for (const [name, users] of usersOf(service, contributions, sources)) {
    const said = oldestTexts(users, ({ backendTexts }) => backendTexts, `the Service port ${name}`)
    terms.set(name, backendTraits(said.texts, fieldsOf(users)))
    findings.push(...said.findings)
  }
  return { terms, findings }
}

function isUndialable(name: string, { dialsService }: BackendTraits, sources: BackendSources): boolean {
  if (!dialsService) return false
  const { service: key, port: number } = splitBackendName(name)
  const service = serviceOf(key, sources)
  const port = service?.spec?.ports?.find((one) => one.port === number)
  return service !== undefined && isHeadless(service) && typeof port?.targetPort === 'string'
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
