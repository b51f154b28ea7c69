// Which Ingresses are ours (R10-1 to R10-8), and what each of them asks for.
import { at, decoder, optional, readString, readTexts } from '../api/decode.ts'
import { decodeIngress } from '../api/decode-networking.ts'
import type { Ingress } from '../api/networking.ts'
import { type ObjectRef, refOf } from '../model/object-ref.ts'
import { changedKeys } from './changed-keys.ts'
import type { ClassTerms } from './class-terms.ts'
import { type Classes, type ClassVerdict, emptyClasses, judgeClasses, unusable } from './classes.ts'
import type { Contribution, ContributionChange } from './contribution.ts'
import { changeSet } from './copy-on-change.ts'
import { type Finding, type Notes, quote } from './finding.ts'
import { PersistentMap } from './persistent-map.ts'
import { type IngressReading, readIngress } from './read-ingress.ts'
import type { ClusterSnapshot, CompileSettings } from './snapshot.ts'

export interface Selection {
  readonly ingresses: ReadonlyMap<string, Ingress>
  readonly classes: Classes
  /** By `namespace/name`. */
  readonly contributions: PersistentMap<Contribution>
  /** `namespace/name` of all that are ours. */
  readonly claimed: ReadonlySet<string>
  /** Of those the ones that could be read and ask for something: what a generation is made of. */
  readonly included: ReadonlySet<string>
}

/** Readings by the object they were made from: a change of classes reads again only what is on other terms now. */
export type ReadingCache = WeakMap<object, CachedReading>
interface CachedReading extends IngressReading {
  readonly key: string
  readonly terms: ClassTerms
}

interface SelectionStep {
  readonly selection: Selection
  readonly changes: readonly ContributionChange[]
  readonly notes: Notes
}

type Claim = ClassVerdict | { readonly kind: 'unknown' }

/** What an Ingress says about its class. */
interface ClassClaim {
  readonly annotation: string | undefined
  readonly className: string | undefined
}

/** What an Ingress names its class by where it names it in an annotation. */
export const CLASS_ANNOTATION = 'kubernetes.io/ingress.class'
const CLASS_FIELD = 'spec.ingressClassName'

export function emptySelection(): Selection {
  return {
    ingresses: new Map(),
    classes: emptyClasses(),
    contributions: new PersistentMap(),
    claimed: new Set(),
    included: new Set(),
  }
}

/** Judges and reads the Ingresses that changed; all of them where the classes or the settings did. */
export function selectIngresses(
  snapshot: ClusterSnapshot,
  settings: CompileSettings,
  last: { readonly selection: Selection; readonly readings: ReadingCache },
): SelectionStep {
  const before = last.selection
  const classes = judgeClasses(snapshot, settings, before.classes)
  const isSameClasses = classes === before.classes
  const keys = isSameClasses
    ? changedKeys(before.ingresses, snapshot.ingresses)
    : new Set([...before.ingresses.keys(), ...snapshot.ingresses.keys()])
  const notes = new Map<string, readonly Finding[]>()
  if (!isSameClasses) notes.set('classes', classes.findings)
  const contributions = new Map<string, Contribution | undefined>()
  const changes: ContributionChange[] = []
  const claims = new Map<string, boolean>()
  const inclusions = new Map<string, boolean>()
  for (const key of keys) {
    const judged = judgeIngress(key, snapshot.ingresses.get(key), classes, last.readings)
    claims.set(key, judged.isOurs)
    inclusions.set(key, judged.contribution !== undefined)
    notes.set(`Ingress ${key}`, judged.findings)
    const change = { before: before.contributions.get(key), after: judged.contribution }
    if (change.before === change.after) continue
    contributions.set(key, change.after)
    changes.push(change)
  }
  const selection: Selection = {
    ingresses: snapshot.ingresses,
    classes,
    contributions: before.contributions.with(contributions),
    claimed: changeSet(before.claimed, claims),
    included: changeSet(before.included, inclusions),
  }
  return { selection, changes, notes }
}

interface Judged {
  readonly isOurs: boolean
  readonly contribution: Contribution | undefined
  readonly findings: readonly Finding[]
}

const NOTHING: Judged = { isOurs: false, contribution: undefined, findings: [] }

// An entry may be missing, or be anything at all where whoever filled the cache did not look.
function judgeIngress(key: string, raw: Ingress | undefined, classes: Classes, readings: ReadingCache): Judged {
  if (raw === undefined) return NOTHING
  // Its place in the cache also names an object without readable metadata.
  const object = refOf('Ingress', key)
  const said = readClaim(raw)
  if (!said) return { ...NOTHING, findings: [{ ...undecodable(object, raw), channel: 'log' }] }
  const verdict = claim(said, classes)
  switch (verdict.kind) {
    case 'served':
      return { isOurs: true, ...readCached(object, raw, verdict.terms, { key, readings }) }
    case 'unusable': {
      const found = `the class of this Ingress ${verdict.problem}`
      return { ...NOTHING, findings: [unusable(object, classField(said), found)] }
    }
    case 'unknown':
      return { ...NOTHING, findings: [unknownClass(object, said)] }
    case 'foreign':
      return NOTHING
  }
}

/** What an object says about its class, also where the rest of it cannot be read; `undefined` where that cannot either. */
function readClaim(raw: unknown): ClassClaim | undefined {
  const read = decodeClaim(raw)
  return read.ok ? read.value : undefined
}

const decodeClaim = decoder((raw): ClassClaim => {
  const annotations = optional(at(raw, 'metadata'), 'annotations', (texts) => readTexts(texts, new Set()))
  const spec = at(raw, 'spec')
  const className = spec.value === undefined ? {} : optional(spec, 'ingressClassName', readString)
  return { annotation: annotations.annotations?.[CLASS_ANNOTATION], className: className.ingressClassName }
})

const SOMEBODY_ELSES: ClassVerdict = { kind: 'foreign' }

/** R10-1: the annotation first, then the named class, then the default. */
function claim({ annotation, className }: ClassClaim, classes: Classes): Claim {
  const { verdicts, byDefault, withoutClass, settings } = classes
  const own: ClassVerdict = { kind: 'served', terms: withoutClass }
  if (annotation !== undefined) {
    if (annotation !== settings?.ingressClass) return SOMEBODY_ELSES
    const named = verdicts.get(annotation)
    return named === undefined || named.kind === 'foreign' ? own : named
  }
  if (className !== undefined) return verdicts.get(className) ?? { kind: 'unknown' }
  if (settings?.watchIngressWithoutClass !== true) return byDefault ?? SOMEBODY_ELSES
  return byDefault?.kind === 'served' ? byDefault : own
}

function readCached(
  object: ObjectRef,
  raw: Ingress,
  terms: ClassTerms,
  { key, readings }: { readonly key: string; readonly readings: ReadingCache },
): IngressReading {
  const cached = readings.get(raw)
  if (cached?.key === key && cached.terms === terms) return cached
  const decoded = decodeIngress(raw)
  const reading = decoded.ok
    ? readIngress(object, decoded.value, terms)
    : { contribution: undefined, findings: [undecodable(object, raw)] }
  readings.set(raw, { key, terms, ...reading })
  return reading
}

function undecodable(object: ObjectRef, raw: unknown): Finding {
  const decoded = decodeIngress(raw)
  const { field, message } = decoded.ok ? { field: 'object', message: 'cannot be read' } : decoded.error
  const found = `${field} ${message}`
  return { reason: 'UndecodableObject', object, field, found, effect: 'the object is skipped' }
}

function unknownClass(object: ObjectRef, { className = '' }: ClassClaim): Finding {
  const found = `no IngressClass has the name ${quote(className)}`
  return { reason: 'UnknownIngressClass', object, field: CLASS_FIELD, found, effect: 'nobody serves this Ingress' }
}

function classField({ annotation }: ClassClaim): string {
  return annotation === undefined ? CLASS_FIELD : CLASS_ANNOTATION
}
