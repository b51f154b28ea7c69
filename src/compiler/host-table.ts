// The virtual hosts of all contributions, of which only those are compiled that something touched (R00-1).
import { wildcardOver } from '../lib/host-name.ts'
import { aliasesOf, compileAlias } from './aliases.ts'
import { changedKeys } from './changed-keys.ts'
import type { Contribution } from './contribution.ts'
import type { Finding, Notes } from './finding.ts'
import type { GroupStep } from './groups.ts'
import { compileHost, type HostOutcome } from './hosts.ts'
import { type MemberIndex, moveMembers } from './member-index.ts'
import { PersistentMap } from './persistent-map.ts'
import type { RoutingSources } from './routing.ts'

export interface HostState {
  readonly outcomes: PersistentMap<HostOutcome>
  /** By Service the hosts that look it up. */
  readonly byService: MemberIndex
  readonly sources: RoutingSources
}

export interface HostChange {
  readonly host: string
  readonly before: HostOutcome | undefined
  readonly after: HostOutcome | undefined
}

interface HostStep {
  readonly state: HostState
  readonly changes: readonly HostChange[]
  readonly notes: Notes
}

export function emptyHosts(): HostState {
  const sources = {
    services: new Map(),
    decoded: new WeakMap(),
    fileBackends: new Map(),
    closedBackends: new Set<string>(),
    undialable: new Set<string>(),
    allowExternalName: false,
    tlsNames: new PersistentMap<readonly Contribution[]>(),
    hasCommonDefault: false,
  }
  return { outcomes: new PersistentMap(), byService: new PersistentMap(), sources }
}

/** What a change touches, the server names with other TLS entries included. */
export type HostTouches = GroupStep & { readonly touchedNames: ReadonlySet<string> }

/** Compiles the hosts that `step` touched and those that look up something that is another now. */
export function compileHosts(step: HostTouches, sources: RoutingSources, last: HostState): HostStep {
  const { groups, touched } = step
  const changed = new Map<string, HostChange>()
  const notes = new Map<string, readonly Finding[]>()
  const stale = [...staleHosts(last, sources), ...withOtherTls(step.touchedNames, last, sources)]
  for (const host of new Set([...touched, ...stale])) {
    const before = last.outcomes.get(host)
    const contributions = groups.byHost.get(host)
    const compiled = contributions && compileHost(host, contributions, sources)
    notes.set(`host ${host}`, compiled?.findings ?? [])
    changed.set(host, { host, before, after: compiled && keepUnchanged(before, compiled.outcome) })
  }
  const outcomeOf = (host: string): HostOutcome | undefined =>
    changed.has(host) ? changed.get(host)?.after : last.outcomes.get(host)
  for (const alias of touchedAliases(step, [...changed.values()])) {
    const { outcome, findings } = compileAlias(alias, groups, outcomeOf)
    notes.set(`alias ${alias}`, findings)
    if (groups.byHost.get(alias)) continue
    const before = last.outcomes.get(alias)
    changed.set(alias, { host: alias, before, after: outcome && keepUnchanged(before, outcome) })
  }
  const changes = [...changed.values()]
  const outcomes = last.outcomes.with(changes.map(({ host, after }) => [host, after] as const))
  return { state: { outcomes, byService: changeIndex(last.byService, changes), sources }, changes, notes }
}

/** The other names that may be somebody else's now, or of a host that changed. */
function touchedAliases({ groups, touchedAliases: asked }: GroupStep, changes: readonly HostChange[]): Set<string> {
  const ofHosts = changes.flatMap(({ before, after }) => [...aliasesOf(before), ...aliasesOf(after)])
  const contested = changes.flatMap(({ host }) => (groups.byAlias.get(host) ? [host] : []))
  return new Set([...asked, ...ofHosts, ...contested])
}

/** Hosts that looked up a Service which is another object now, or that something common to all changes. */
function staleHosts(last: HostState, sources: RoutingSources): readonly string[] {
  const services = changedKeys(last.sources.services, sources.services)
  const stale = [...services].flatMap((service) => [...(last.byService.get(service) ?? [])])
  const flipped = [
    ...symmetricDifference(last.sources.closedBackends, sources.closedBackends),
    ...symmetricDifference(last.sources.undialable, sources.undialable),
  ]
  const isDefaultFlipped = last.sources.hasCommonDefault !== sources.hasCommonDefault
  if (flipped.length === 0 && !isDefaultFlipped) return stale
  // Guards that are not built and defaults for all hosts come and go seldom: no index is kept for them.
  const concerned = ({ closable, hasClassDefault }: HostOutcome): boolean =>
    (isDefaultFlipped && hasClassDefault) || flipped.some((name) => closable.has(name))
  return [...stale, ...[...last.outcomes.entries()].flatMap(([host, outcome]) => (concerned(outcome) ? [host] : []))]
}

/** Hosts that send clients to https where they have TLS, and that got it or lost it. */
function withOtherTls(names: ReadonlySet<string>, last: HostState, { tlsNames }: RoutingSources): readonly string[] {
  const flipped = [...names].filter(
    (name) => (last.sources.tlsNames.get(name) === undefined) !== (tlsNames.get(name) === undefined),
  )
  if (flipped.length === 0) return []
  const known = new Set(flipped)
  const isConcerned = (host: string): boolean => known.has(host) || known.has(wildcardOver(host))
  return [...last.outcomes.entries()].flatMap(([host, { dependsOnTls }]) =>
    dependsOnTls && isConcerned(host) ? [host] : [],
  )
}

function symmetricDifference(a: ReadonlySet<string>, b: ReadonlySet<string>): readonly string[] {
  return [...a, ...b].filter((name) => a.has(name) !== b.has(name))
}

// Workers are sent only objects that are new to them, so what came out the same stays the object it was.
function keepUnchanged(before: HostOutcome | undefined, after: HostOutcome): HostOutcome {
  if (before?.virtualHost.digest !== after.virtualHost.digest) return after
  // Equal digests say that it acts the same; where its routes come from may still be another object.
  const isSame = JSON.stringify(before.virtualHost) === JSON.stringify(after.virtualHost)
  return isSame ? { ...after, virtualHost: before.virtualHost } : after
}

function changeIndex(last: MemberIndex, changes: readonly HostChange[]): MemberIndex {
  const moves = changes.map(({ host, before, after }) => ({
    member: host,
    before: before?.services ?? [],
    after: after?.services ?? [],
  }))
  return moveMembers(last, moves).index
}
