// Runs the stages in order; every decision is in the stage that is named after it.
import { ANY_HOST } from '../model/route-table.ts'
import { type BackendTermsState, compileBackendTerms } from './backend-terms.ts'
import { type ChangedUsers, changeUsers } from './backend-users.ts'
import { type BackendSources, splitBackendName } from './backends.ts'
import { type CertificateStep, certificateSources, compileCertificates, indexServerNames } from './certificates.ts'
import { changedKeys } from './changed-keys.ts'
import { closedBackends } from './closed-backends.ts'
import { compileDefaultRoute } from './default-route.ts'
import { noteEndpoints } from './endpoint-findings.ts'
import { compileEndpointTable } from './endpoint-table.ts'
import type { Notes } from './finding.ts'
import { changeGroups, type Groups } from './groups.ts'
import { compileHosts } from './host-table.ts'
import type { Memo } from './memo.ts'
import { type FileReading, readFile } from './read-file.ts'
import type { CompileResult } from './result.ts'
import { changeRouteTable, compileBackends, type RouteTableState } from './route-table.ts'
import type { RoutingSources } from './routing.ts'
import { type Selection, selectIngresses } from './select.ts'
import type { ClusterSnapshot, CompileSettings } from './snapshot.ts'
import { wantedFor } from './wanted.ts'
import { changeLedger } from './warnings.ts'

/**
 * The tables, warnings and wants of a snapshot. Total: whatever the snapshot holds, it returns and never throws
 * (R10-48). With `emptyMemo()` the outcome is equal, only slower; with the memo of the compile before, what did not
 * change are the very same objects.
 */
export function compile(snapshot: ClusterSnapshot, settings: CompileSettings, memo: Memo): CompileResult {
  const selected = selectIngresses(snapshot, settings, memo)
  const file = readFile(snapshot.file, memo.file)
  const fileChange = { before: memo.file.contribution, after: file.contribution }
  const contributions = [...selected.changes, fileChange]
  const step = changeGroups(memo.groups, contributions)
  const { groups } = step

  const named = { decoded: memo.services, services: snapshot.services, fileBackends: file.backends }
  const found = { ...named, allowExternalName: settings.allowExternalName }
  const termsSources = { ...found, wantedObjects: snapshot.wantedObjects }
  const terms = compileBackendTerms(groups, step.touchedServices, termsSources, memo.backendTerms)
  const names = indexServerNames(contributions, certificateSources(snapshot, settings), memo.certificates)
  const sources = { ...routingSources(groups, found, terms.state), tlsNames: names.byName.index }
  const hosts = compileHosts({ ...step, touchedNames: names.byName.touched }, sources, memo.hosts)
  const catchAll = hosts.state.outcomes.get(ANY_HOST)?.virtualHost
  const otherDefaults = otherDefaultsOf(selected.selection, snapshot, settings)
  const fallback = compileDefaultRoute(groups.defaults, otherDefaults, sources, { last: memo.defaultRoute, catchAll })
  const used = changeUsers(memo.users, hosts.changes, { before: memo.defaultRoute, after: fallback.state })
  const known = { users: used.users, file: file.backends, terms: terms.state, sources }
  const touched = new Set([...used.moved, ...terms.changed, ...otherBackends(used.concerned, file, { sources, memo })])
  const backends = compileBackends(touched, known, memo.routes.table.backends)
  const certificates = compileCertificates({ names, hosts }, memo.certificates)
  const changed = { hosts: hosts.changes, defaultRoute: fallback.state.route, backends, certificates }
  const routes = changeRouteTable(memo.routes, changed)
  const endpoints = compileEndpointTable(snapshot, settings, routes.table.backends, memo.endpoints)
  return resultOf({ selected, file, groups, terms, hosts, fallback, used, certificates, routes, endpoints }, memo)
}

/** What each stage came to. */
interface Stages {
  readonly selected: ReturnType<typeof selectIngresses>
  readonly file: FileReading
  readonly groups: Groups
  readonly terms: ReturnType<typeof compileBackendTerms>
  readonly hosts: ReturnType<typeof compileHosts>
  readonly fallback: ReturnType<typeof compileDefaultRoute>
  readonly used: ChangedUsers
  readonly certificates: CertificateStep
  readonly routes: RouteTableState
  readonly endpoints: ReturnType<typeof compileEndpointTable>
}

function resultOf(stages: Stages, memo: Memo): CompileResult {
  const { selected, file, groups, terms, hosts, fallback, used, certificates, routes, endpoints } = stages
  const ledger = changeLedger(memo.ledger, new Map(notesOf(stages)))
  const { selection } = selected
  return {
    tables: { routes: routes.table, endpoints: endpoints.state.table },
    warnings: ledger.warnings,
    wanted: wantedFor(endpoints.state, certificates.state, terms.state),
    claimed: selection.claimed,
    included: selection.included,
    classes: selection.classes.verdicts,
    memo: {
      ...memo,
      selection,
      file,
      groups,
      hosts: hosts.state,
      defaultRoute: fallback.state,
      users: used.users,
      backendTerms: terms.state,
      certificates: certificates.state,
      routes,
      endpoints: endpoints.state,
      ledger,
    },
  }
}

function notesOf({ selected, file, hosts, terms, fallback, used, certificates, endpoints }: Stages): Notes {
  const users = { users: used.users, hosts: hosts.state, defaultRoute: fallback.state }
  const ofEndpoints = noteEndpoints(new Set([...used.concerned, ...endpoints.changed]), endpoints.state, users)
  const ofFile = [['file', file.findings] as const]
  const others = [hosts.notes, terms.notes, fallback.notes, ofEndpoints, certificates.notes]
  return new Map([...selected.notes, ...ofFile, ...others.flatMap((notes) => [...notes])])
}

/** Backends that nobody began or ceased to use and that are others all the same: of Services and of the file. */
function otherBackends(
  concerned: ReadonlySet<string>,
  file: FileReading,
  { sources, memo }: { readonly sources: BackendSources; readonly memo: Memo },
): readonly string[] {
  const ofServices = [...concerned].filter((name) => isOfChangedService(name, memo.hosts.sources, sources))
  return [...ofServices, ...changedKeys(memo.file.backends, file.backends)]
}

/** Default backends that no Ingress names. */
function otherDefaultsOf({ classes }: Selection, { defaults }: ClusterSnapshot, { defaultBackend }: CompileSettings) {
  return { ofClasses: classes.defaultBackend, ofOperator: defaults.defaultBackend, ofFlag: defaultBackend }
}

function routingSources(
  { closing, defaults }: Groups,
  sources: BackendSources,
  { undialable, closed }: BackendTermsState,
): Omit<RoutingSources, 'tlsNames'> {
  const hasCommonDefault = defaults.length > 0
  const byText = closedBackends(closing, sources)
  const closedNames = closed.size === 0 ? byText : new Set([...byText, ...closed])
  return { ...sources, closedBackends: closedNames, undialable, hasCommonDefault }
}

/** Whether the Service of a backend is another object now: what its port says of itself may be something else. */
function isOfChangedService(backend: string, before: BackendSources, after: BackendSources): boolean {
  const { service } = splitBackendName(backend)
  return before.services.get(service) !== after.services.get(service)
}
