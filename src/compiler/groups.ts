// Contributions by what they meet in: a host, another name of it, the default backend, a Service port.
import { AnnotationReader } from '../annotations/annotation-reader.ts'
import { readHostSettings } from '../annotations/rewriting.ts'
import { serviceKeyOf } from './backends.ts'
import type { BackendRef, Contribution, ContributionChange } from './contribution.ts'
import { type ContributionIndex, changeIndex } from './contribution-index.ts'
import { compareAge } from './order.ts'
import { PersistentMap } from './persistent-map.ts'

export interface Groups {
  /** By host. */
  readonly byHost: ContributionIndex
  /** By another name that they give one of their hosts (R11-44). */
  readonly byAlias: ContributionIndex
  /** By Service (`namespace/name`), those that say something about it beyond the route to it. */
  readonly byService: ContributionIndex
  /** Those whose default backend answers for hosts that nobody claimed, in order of age. */
  readonly defaults: readonly Contribution[]
  /** Those that close the Service ports they name. */
  readonly closing: readonly Contribution[]
}

export interface GroupStep {
  readonly groups: Groups
  /** The hosts whose group is another one now. */
  readonly touched: ReadonlySet<string>
  /** The same of other names. */
  readonly touchedAliases: ReadonlySet<string>
  /** The same of Services. */
  readonly touchedServices: ReadonlySet<string>
}

export function emptyGroups(): Groups {
  return {
    byHost: new PersistentMap(),
    byAlias: new PersistentMap(),
    byService: new PersistentMap(),
    defaults: [],
    closing: [],
  }
}

/** The groups after these changes. */
export function changeGroups(last: Groups, all: readonly ContributionChange[]): GroupStep {
  const changes = all.filter(({ before, after }) => before !== after)
  const hosts = changeIndex(last.byHost, changes, ({ hosts: named }) => named.keys())
  const aliases = changeIndex(last.byAlias, changes, aliasesOf)
  const services = changeIndex(last.byService, changes, settledServices)
  const groups: Groups = {
    byHost: hosts.index,
    byAlias: aliases.index,
    byService: services.index,
    defaults: changeList(last.defaults, changes, ({ defaultBackend }) => defaultBackend?.isGlobal === true),
    closing: changeList(last.closing, changes, ({ closed }) => closed.backend),
  }
  return { groups, touched: hosts.touched, touchedAliases: aliases.touched, touchedServices: services.touched }
}

/** The other names that a contribution asks for. */
function aliasesOf({ hostTexts }: Contribution): readonly string[] {
  return readHostSettings(new AnnotationReader(hostTexts)).aliases
}

/** The Services that a contribution says something about: by keys of its own, or because its class does. */
function settledServices(contribution: Contribution): Iterable<string> {
  const { backendTexts, terms } = contribution
  if (backendTexts.size === 0 && Object.keys(terms.fields).length === 0) return []
  return new Set(refsOf(contribution).flatMap((ref) => serviceKeyOf(ref) ?? []))
}

/** All that a contribution sends requests to. */
export function refsOf({ hosts, defaultBackend }: Contribution): readonly BackendRef[] {
  const refs = [...hosts.values()].flatMap((candidates) => candidates.map(({ backend }) => backend))
  return defaultBackend ? [...refs, defaultBackend.backend] : refs
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
