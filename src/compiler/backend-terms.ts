// What holds for a Service port, whichever route leads to it: keys of scope `backend`, each of the oldest Ingress that
// sets it, over the class of the oldest of them whose class sets anything (R11-15, R11-17).
import { type BackendTraits, backendTraits } from '../annotations/backend-traits.ts'
import type { DataObject } from '../api/core.ts'
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
import { type MemberIndex, moveMembers } from './member-index.ts'
import { oldestTexts } from './oldest-texts.ts'
import { PersistentMap } from './persistent-map.ts'
import { appTraits, settleUpstream } from './upstream-terms.ts'
import { wantedKey } from './wanted-key.ts'

/** Of a backend about which nobody says anything. */
const NO_TERMS: BackendTraits = backendTraits(new Map(), NO_CLASS_FIELDS)

/** By backend of one Service. */
type ServiceTerms = ReadonlyMap<string, BackendTraits>

export interface TermsSources extends BackendSources {
  /** By `wantedKey`. */
  readonly wantedObjects: ReadonlyMap<string, DataObject>
}

export interface BackendTermsState {
  readonly byService: PersistentMap<ServiceTerms>
  /** By Service the keys (`wantedKey`) of the Secrets that its ports are secured by. */
  readonly secretsOf: PersistentMap<readonly string[]>
  readonly services: BackendSources['services']
  readonly wantedObjects: TermsSources['wantedObjects']
  /** By Secret (`wantedKey`) the Services whose ports are secured by it. */
  readonly bySecret: MemberIndex
  /** Backends whose guard cannot act (R21-32). */
  readonly closed: ReadonlySet<string>
  /** Backends that are to be dialled by a cluster IP which they lack, at a port that only pods know (R50-17). */
  readonly undialable: ReadonlySet<string>
}

export function emptyBackendTerms(): BackendTermsState {
  return {
    byService: new PersistentMap(),
    secretsOf: new PersistentMap(),
    services: new Map(),
    wantedObjects: new Map(),
    bySecret: new PersistentMap(),
    closed: new Set(),
    undialable: new Set(),
  }
}

/** The terms of a cluster backend: what is said of it, else what its Service says itself. */
export function termsOf(state: BackendTermsState, backend: string, sources: BackendSources): BackendTraits {
  const { service } = splitBackendName(backend)
  return (
    state.byService.get(service)?.get(backend) ?? { ...NO_TERMS, ...appTraits(backend, serviceOf(service, sources)) }
  )
}

/**
 * Settles the Services of `touched` and those that are another object now, since a port may have another number, or
 * whose Secret is another one.
 */
export function compileBackendTerms(
  { byService }: Groups,
  touched: ReadonlySet<string>,
  sources: TermsSources,
  last: BackendTermsState,
): { readonly state: BackendTermsState; readonly changed: ReadonlySet<string>; readonly notes: Notes } {
  const stale = [...changedKeys(last.services, sources.services)].filter((service) => byService.get(service))
  const secrets = [...changedKeys(last.wantedObjects, sources.wantedObjects)]
  const ofSecrets = secrets.flatMap((secret) => [...(last.bySecret.get(secret) ?? [])])
  const changed = new Set<string>()
  const notes = new Map<string, readonly Finding[]>()
  const dialling: (readonly [string, boolean])[] = []
  const closing: (readonly [string, boolean])[] = []
  const settled = [...new Set([...touched, ...stale, ...ofSecrets])].map((service) => {
    const { terms, findings, secrets: named, closed } = settleService(service, byService.get(service) ?? [], sources)
    notes.set(`service ${service}`, findings)
    const before = last.byService.get(service)
    for (const name of changedTerms(before ?? new Map(), terms)) changed.add(name)
    for (const name of before?.keys() ?? []) {
      dialling.push([name, false])
      closing.push([name, false])
    }
    for (const [name, traits] of terms) {
      dialling.push([name, isUndialable(name, traits, sources)])
      closing.push([name, closed.has(name)])
    }
    return { service, terms: terms.size === 0 ? undefined : terms, secrets: named }
  })
  const moves = settled.map(({ service, secrets: after }) => {
    return { member: service, before: last.secretsOf.get(service) ?? [], after }
  })
  const state: BackendTermsState = {
    byService: last.byService.with(settled.map(({ service, terms }) => [service, terms])),
    secretsOf: last.secretsOf.with(settled.map(({ service, secrets: named }) => [service, noneIfEmpty(named)])),
    services: sources.services,
    wantedObjects: sources.wantedObjects,
    bySecret: moveMembers(last.bySecret, moves).index,
    closed: changeSet(last.closed, new Map(closing)),
    undialable: changeSet(last.undialable, new Map(dialling)),
  }
  return { state, changed, notes }
}

interface SettledService {
  readonly terms: ServiceTerms
  readonly closed: ReadonlySet<string>
  /** Keys of wanted objects. */
  readonly secrets: readonly string[]
  readonly findings: readonly Finding[]
}

function settleService(service: string, contributions: readonly Contribution[], sources: TermsSources): SettledService {
  const terms = new Map<string, BackendTraits>()
  const closed = new Set<string>()
  const secrets = new Set<string>()
  const findings: Finding[] = []
  const { wantedObjects } = sources
  for (const [name, users] of usersOf(service, contributions, sources)) {
    const said = oldestTexts(users, ({ backendTexts }) => backendTexts, `the Service port ${name}`)
    const upstream = settleUpstream({ name, said, service: serviceOf(service, sources), wantedObjects })
    terms.set(name, { ...backendTraits(said.texts, fieldsOf(users)), ...upstream.traits })
    if (upstream.isClosed) closed.add(name)
    if (upstream.secret) secrets.add(wantedKey(upstream.secret))
    findings.push(...said.findings, ...upstream.findings)
  }
  return { terms, closed, secrets: [...secrets], findings }
}

function noneIfEmpty(names: readonly string[]): readonly string[] | undefined {
  return names.length === 0 ? undefined : names
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
