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
  const services = [...new Set([...touched, ...stale, ...ofSecrets])]
  const settled = services.map((service) => settleService(service, byService.get(service) ?? [], sources))
  const changed = settled.flatMap(({ service, terms }) => changedTerms(last.byService.get(service) ?? new Map(), terms))
  const notes = new Map(settled.map(({ service, findings }) => [`service ${service}`, findings]))
  return { state: nextState(last, settled, sources), changed: new Set(changed), notes }
}

function nextState(
  last: BackendTermsState,
  settled: readonly SettledService[],
  sources: TermsSources,
): BackendTermsState {
  const moves = settled.map(({ service, secrets }) => {
    return { member: service, before: last.secretsOf.get(service) ?? [], after: secrets }
  })
  // What a Service had before is nobody's, unless it is found to be so again.
  const gone = settled.flatMap(({ service }) => [...(last.byService.get(service)?.keys() ?? [])])
  const none = gone.map((name) => [name, false] as const)
  const closing = settled.flatMap(({ terms, closed }) =>
    [...terms.keys()].map((name) => [name, closed.has(name)] as const),
  )
  const dialling = settled.flatMap(({ terms }) =>
    [...terms].map(([name, traits]) => [name, isUndialable(name, traits, sources)] as const),
  )
  return {
    byService: last.byService.with(
      settled.map(({ service, terms }) => [service, terms.size === 0 ? undefined : terms] as const),
    ),
    secretsOf: last.secretsOf.with(settled.map(({ service, secrets }) => [service, noneIfEmpty(secrets)] as const)),
    services: sources.services,
    wantedObjects: sources.wantedObjects,
    bySecret: moveMembers(last.bySecret, moves).index,
    closed: changeSet(last.closed, new Map([...none, ...closing])),
    undialable: changeSet(last.undialable, new Map([...none, ...dialling])),
  }
}

interface SettledService {
  readonly service: string
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
  return { service, terms, closed, secrets: [...secrets], findings }
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
