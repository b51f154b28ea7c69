// The endpoints of every backend that is or may be served -> the endpoint table (R00-22, R30-2).
import type { Service } from '../api/core.ts'
import type { EndpointSlice } from '../api/discovery.ts'
import { type BucketedDigest, changeDigest, emptyDigest } from '../lib/bucketed-digest.ts'
import type { BackendEndpoints, EndpointTable } from '../model/endpoint-table.ts'
import type { Backend } from '../model/route-table.ts'
import { splitBackendName } from './backends.ts'
import { changedKeys } from './changed-keys.ts'
import { changeMap, changeSet } from './copy-on-change.ts'
import { buildDialRules, type DialRules } from './dial-rules.ts'
import { type CompiledEndpoints, compileEndpoints, type EndpointInput } from './endpoints.ts'
import type { ExternalName } from './external-name.ts'
import { type MemberIndex, type Move, moveMembers } from './member-index.ts'
import { PersistentMap } from './persistent-map.ts'
import type { ClusterSnapshot, CompileSettings, ResolvedName } from './snapshot.ts'

export interface EndpointState {
  readonly table: EndpointTable
  /** The backends in the table. */
  readonly names: ReadonlySet<string>
  readonly digest: BucketedDigest
  readonly outcomes: PersistentMap<CompiledEndpoints>
  /** By backend, of those whose Service is an external name. */
  readonly externals: ReadonlyMap<string, ExternalName>
  /** By Service (`namespace/name`) the backends in the table that are ports of it. */
  readonly byService: MemberIndex
  readonly inputs: EndpointInputs
  /** Services whose backends were compiled by the short way since, from slices or names that are not those of `inputs`. */
  readonly ahead: ReadonlySet<string>
  /** What `rules` were built for. */
  readonly neverDialled: ReadonlySet<string> | undefined
  readonly rules: DialRules
}

/** What the last whole compile of the table read. */
interface EndpointInputs {
  readonly services: ReadonlyMap<string, Service>
  readonly endpointSlices: ReadonlyMap<string, readonly EndpointSlice[]>
  readonly resolvedNames: ReadonlyMap<string, ResolvedName>
  /** Of the route table that was compiled with it. */
  readonly backends: ReadonlyMap<string, Backend>
  readonly servedBackends: ReadonlyMap<string, Backend>
}

/** The state, and the backends whose outcome is another one now, or that are no longer there. */
export interface EndpointStep {
  readonly state: EndpointState
  readonly changed: ReadonlySet<string>
}

export function emptyEndpoints(): EndpointState {
  const digest = emptyDigest()
  return {
    table: { byBackend: new Map(), digest: digest.root },
    names: new Set(),
    digest,
    outcomes: new PersistentMap(),
    externals: new Map(),
    byService: new PersistentMap(),
    inputs: {
      services: new Map(),
      endpointSlices: new Map(),
      resolvedNames: new Map(),
      backends: new Map(),
      servedBackends: new Map(),
    },
    ahead: new Set(),
    neverDialled: undefined,
    rules: buildDialRules(),
  }
}

/** Compiles the endpoints of the backends of the new table and of the served one, as far as their inputs changed. */
export function compileEndpointTable(
  snapshot: ClusterSnapshot,
  { neverDialled }: CompileSettings,
  backends: ReadonlyMap<string, Backend>,
  last: EndpointState,
): EndpointStep {
  const { services, endpointSlices, resolvedNames, servedBackends } = snapshot
  const inputs = { services, endpointSlices, resolvedNames, backends, servedBackends }
  const isSameRules = neverDialled === last.neverDialled
  const names = isSameRules
    ? staleNames(inputs, last)
    : new Set([...last.names, ...backends.keys(), ...servedBackends.keys()])
  const rules = isSameRules ? last.rules : buildDialRules(neverDialled)
  return compileNamed(names, snapshot, backends, { ...last, neverDialled, rules, inputs, ahead: new Set() })
}

/** Compiles the endpoints of the backends of these Services anew, and no other. */
export function recompileServices(
  snapshot: ClusterSnapshot,
  services: ReadonlySet<string>,
  backends: ReadonlyMap<string, Backend>,
  last: EndpointState,
): EndpointStep {
  const names = namesOf(services, last)
  return compileNamed(new Set(names), snapshot, backends, { ...last, ahead: new Set([...last.ahead, ...services]) })
}

/** Backends that are new, gone or other ones, and those of Services of which anything changed. */
function staleNames(inputs: EndpointInputs, last: EndpointState): ReadonlySet<string> {
  const before = last.inputs
  return new Set([
    ...changedKeys(before.backends, inputs.backends),
    ...changedKeys(before.servedBackends, inputs.servedBackends),
    ...namesOf(changedKeys(before.services, inputs.services), last),
    ...namesOf(changedKeys(before.endpointSlices, inputs.endpointSlices), last),
    ...namesOf(changedKeys(before.resolvedNames, inputs.resolvedNames), last),
    ...namesOf(last.ahead, last),
  ])
}

function namesOf(services: ReadonlySet<string>, { byService }: EndpointState): readonly string[] {
  return [...services].flatMap((service) => [...(byService.get(service) ?? [])])
}

function compileNamed(
  names: ReadonlySet<string>,
  snapshot: ClusterSnapshot,
  backends: ReadonlyMap<string, Backend>,
  base: EndpointState,
): EndpointStep {
  const changes = new Map<string, CompiledEndpoints | undefined>()
  for (const name of names) {
    // Where both have the name, the new table's: it is the one that is about to be served.
    const backend = backends.get(name) ?? snapshot.servedBackends.get(name)
    changes.set(name, backend && compileOne(inputOf(backend, snapshot), base))
  }
  return changeEndpoints(base, changes)
}

function inputOf(backend: Backend, { services, endpointSlices, resolvedNames }: ClusterSnapshot): EndpointInput {
  const { service: key } = splitBackendName(backend.name)
  const [service, slices, resolved] = [services.get(key), endpointSlices.get(key), resolvedNames.get(key)]
  return { backend, service, slices, resolved }
}

function compileOne(input: EndpointInput, { rules, outcomes }: EndpointState): CompiledEndpoints {
  const compiled = compileEndpoints(input, rules)
  return { ...compiled, entry: keepUnchanged(outcomes.get(input.backend.name)?.entry, compiled.entry) }
}

function keepUnchanged(before: BackendEndpoints | undefined, after: BackendEndpoints): BackendEndpoints {
  return before?.digest === after.digest ? before : after
}

function changeEndpoints(
  base: EndpointState,
  changes: ReadonlyMap<string, CompiledEndpoints | undefined>,
): EndpointStep {
  const entries = new Map([...changes].map(([name, outcome]) => [name, outcome?.entry]))
  const byBackend = changeMap(base.table.byBackend, entries)
  const changed = new Set(changes.keys())
  const externals = changeMap(
    base.externals,
    [...changes].map(([name, outcome]) => [name, outcome?.external] as const),
  )
  const state = { ...base, outcomes: base.outcomes.with(changes), externals }
  if (byBackend === base.table.byBackend) return { state, changed }
  const removed = [...entries].flatMap(([name, entry]) => (entry ? [] : [name]))
  const set = new Map([...entries].flatMap(([name, entry]) => (entry ? [[name, entry.digest] as const] : [])))
  const digest = changeDigest(base.digest, set, removed)
  const names = changeSet(
    base.names,
    [...entries].map(([name, entry]) => [name, entry !== undefined] as const),
  )
  const byService = moveMembers(base.byService, [...entries].map(moveOf(base.table))).index
  return { state: { ...state, names, digest, byService, table: { byBackend, digest: digest.root } }, changed }
}

function moveOf({ byBackend }: EndpointTable): (entry: readonly [string, BackendEndpoints | undefined]) => Move {
  return ([name, entry]) => {
    const { service } = splitBackendName(name)
    return { member: name, before: byBackend.has(name) ? [service] : [], after: entry ? [service] : [] }
  }
}
