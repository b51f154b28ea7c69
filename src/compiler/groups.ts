// Contributions by what they meet in: a host, the default backend, a guard over a Service port.
import type { Contribution, ContributionChange } from './contribution.ts'
import { compareAge } from './order.ts'
import { PersistentMap } from './persistent-map.ts'

export interface Groups {
  /** By host, in order of age. */
  readonly byHost: PersistentMap<readonly Contribution[]>
  /** Those whose default backend answers for hosts that nobody claimed, in order of age. */
  readonly defaults: readonly Contribution[]
  /** Those that close the Service ports they name. */
  readonly closing: readonly Contribution[]
}

export function emptyGroups(): Groups {
  return { byHost: new PersistentMap(), defaults: [], closing: [] }
}

/** The groups after these changes, and the hosts whose group is another one now. */
export function changeGroups(
  last: Groups,
  all: readonly ContributionChange[],
): { readonly groups: Groups; readonly touched: ReadonlySet<string> } {
  const changes = all.filter(({ before, after }) => before !== after)
  const lists = new Map<string, Map<string, Contribution>>()
  for (const { before } of changes) {
    for (const host of before?.hosts.keys() ?? []) listOf(host, last, lists).delete(idOf(before))
  }
  for (const { after } of changes) {
    if (after) for (const host of after.hosts.keys()) listOf(host, last, lists).set(idOf(after), after)
  }
  const sorted = [...lists].map(([host, list]) => [host, sortedOrNone([...list.values()])] as const)
  const groups: Groups = {
    byHost: last.byHost.with(sorted),
    defaults: changeList(last.defaults, changes, ({ defaultBackend }) => defaultBackend?.isGlobal === true),
    closing: changeList(last.closing, changes, ({ closed }) => closed.backend),
  }
  return { groups, touched: new Set(lists.keys()) }
}

function listOf(host: string, last: Groups, lists: Map<string, Map<string, Contribution>>): Map<string, Contribution> {
  const known = lists.get(host)
  if (known) return known
  const list = new Map((last.byHost.get(host) ?? []).map((contribution) => [idOf(contribution), contribution]))
  lists.set(host, list)
  return list
}

function changeList(
  last: readonly Contribution[],
  changes: readonly ContributionChange[],
  belongs: (contribution: Contribution) => boolean,
): readonly Contribution[] {
  const gone = new Set(changes.map(({ before }) => before))
  const added = changes.flatMap(({ after }) => (after && belongs(after) ? [after] : []))
  if (added.length === 0 && !last.some((contribution) => gone.has(contribution))) return last
  return [...last.filter((contribution) => !gone.has(contribution)), ...added].toSorted(compareAge)
}

function sortedOrNone(list: readonly Contribution[]): readonly Contribution[] | undefined {
  return list.length === 0 ? undefined : list.toSorted(compareAge)
}

/** A file may be named as an Ingress is. */
function idOf(contribution: Contribution | undefined): string {
  return contribution ? `${contribution.source} ${contribution.key}` : ''
}
