// Findings of all stages -> one warning per reason, object and field, naming the first three (R13-7).
import { keyOf } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import type { Finding, Notes } from './finding.ts'
import { compareText } from './order.ts'
import { PersistentMap } from './persistent-map.ts'

/** What is found now, by who noted it and by the object it is about. */
export interface Ledger {
  readonly byOwner: PersistentMap<readonly Finding[]>
  /** By object, then by owner. */
  readonly byObject: PersistentMap<ReadonlyMap<string, readonly Finding[]>>
  readonly warningsByObject: PersistentMap<readonly Warning[]>
  /** Keys of the objects with warnings, sorted. */
  readonly objects: readonly string[]
  readonly warnings: readonly Warning[]
}

const NAMED = 3

export function emptyLedger(): Ledger {
  return {
    byOwner: new PersistentMap(),
    byObject: new PersistentMap(),
    warningsByObject: new PersistentMap(),
    objects: [],
    warnings: [],
  }
}

/** The ledger with these notes in place of the earlier ones of the same owners. Costs the objects they are about. */
export function changeLedger(last: Ledger, notes: Notes): Ledger {
  const changed = [...notes].filter(([owner, findings]) => !isSame(last.byOwner.get(owner), findings))
  if (changed.length === 0) return last
  const byObject = regroup(last, changed)
  const warningsByObject = new Map([...byObject].map(([object, owners]) => [object, warningsOf(owners)] as const))
  const merged = last.warningsByObject.with(warningsByObject)
  const objects = changeObjects(last.objects, warningsByObject)
  return {
    byOwner: last.byOwner.with(changed.map(([owner, findings]) => [owner, noneIfEmpty(findings)] as const)),
    byObject: last.byObject.with([...byObject].map(([object, owners]) => [object, owners.size ? owners : undefined])),
    warningsByObject: merged,
    objects,
    warnings: objects.flatMap((object) => merged.get(object) ?? []),
  }
}

function isSame(before: readonly Finding[] | undefined, after: readonly Finding[]): boolean {
  if (before === undefined) return after.length === 0
  return before === after || (before.length === after.length && JSON.stringify(before) === JSON.stringify(after))
}

function noneIfEmpty(findings: readonly Finding[]): readonly Finding[] | undefined {
  return findings.length === 0 ? undefined : findings
}

type Owners = Map<string, readonly Finding[]>

function regroup(
  last: Ledger,
  changed: readonly (readonly [owner: string, findings: readonly Finding[]])[],
): ReadonlyMap<string, Owners> {
  const objects = new Map<string, Owners>()
  const ownersOf = (object: string): Owners => {
    const owners = objects.get(object) ?? new Map(last.byObject.get(object))
    objects.set(object, owners)
    return owners
  }
  for (const [owner, findings] of changed) {
    for (const finding of last.byOwner.get(owner) ?? []) ownersOf(objectKey(finding)).delete(owner)
    for (const [object, own] of Map.groupBy(findings, objectKey)) ownersOf(object).set(owner, own)
  }
  return objects
}

function objectKey({ object }: Finding): string {
  return `${object.kind} ${keyOf(object)}`
}

function changeObjects(
  last: readonly string[],
  changes: ReadonlyMap<string, readonly Warning[] | undefined>,
): readonly string[] {
  const known = new Set(last)
  const added = [...changes].flatMap(([object, warnings]) => (warnings && !known.has(object) ? [object] : []))
  const gone = [...changes].some(([object, warnings]) => !warnings && known.has(object))
  const kept = gone ? last.filter((object) => !changes.has(object) || changes.get(object)) : last
  return added.length === 0 ? kept : [...kept, ...added].toSorted(compareText)
}

/** `undefined` where nothing is found about the object any more. */
function warningsOf(owners: Owners): readonly Warning[] | undefined {
  if (owners.size === 0) return undefined
  const groups = Map.groupBy([...owners.values()].flat(), topicOf)
  return [...groups].toSorted(([a], [b]) => compareText(a, b)).flatMap(([, findings]) => merge(findings))
}

/** Findings of one topic are one warning. Lines of a file are told one by one: each can be pointed at. */
function topicOf({ reason, object, field }: Finding): string {
  return `${reason} ${object.kind === 'File' ? sortable(field) : field.replaceAll(/\[\d+\]/g, '[]')}`
}

function merge(findings: readonly Finding[]): Warning | readonly [] {
  const distinct = [...new Map(findings.map((finding) => [`${sortable(finding.field)} ${finding.found}`, finding]))]
  const sorted = distinct.toSorted(([a], [b]) => compareText(a, b)).map(([, finding]) => finding)
  const [first] = sorted
  if (!first) return []
  const { reason, object, field, effect, channel } = first
  const names = sorted.slice(0, NAMED).map(({ found }) => found)
  const more = sorted.length > NAMED ? `, and ${sorted.length - NAMED} more` : ''
  const message = `${names.join(', ')}${more}; ${effect}`
  return channel ? { reason, object, field, message, channel } : { reason, object, field, message }
}

/** A field whose indexes sort as numbers do. */
function sortable(field: string): string {
  return field.replaceAll(/\d+/g, (digits) => digits.padStart(6, '0'))
}
