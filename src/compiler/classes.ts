// Which IngressClasses are ours, which of them are served, and on what terms (R10-1 to R10-3, R10-8, R50-14).
import { parseBool } from '../annotations/values.ts'
import { decodeIngressClass } from '../api/decode-networking.ts'
import type { IngressClass } from '../api/networking.ts'
import { keepEqual } from '../lib/keep-equal.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import { type ObjectRef, refOf } from '../model/object-ref.ts'
import { type ResolvedParameters, resolveParameters } from './class-parameters.ts'
import { type ClassTerms, fieldsOver, NO_CLASS_TERMS } from './class-terms.ts'
import type { Finding } from './finding.ts'
import { compareText } from './order.ts'
import type { ClassParametersReading, ClusterSnapshot, CompileSettings } from './snapshot.ts'

/** What becomes of a class: `unusable` is ours, with parameters that cannot be used; `foreign` is somebody else's. */
export type ClassVerdict =
  | { readonly kind: 'served'; readonly terms: ClassTerms }
  /** `problem` follows the class's name. */
  | { readonly kind: 'unusable'; readonly problem: string }
  | { readonly kind: 'foreign' }

/** What classes are judged by. */
export type ClassSources = Pick<ClusterSnapshot, 'ingressClasses' | 'classParameters' | 'defaults'>

export interface Classes {
  readonly sources: ClassSources
  readonly settings: CompileSettings | undefined
  /** By name; a class that does not exist has none. */
  readonly verdicts: ReadonlyMap<string, ClassVerdict>
  /** Of the class that an Ingress without class falls to; `undefined` where none of ours is the default. */
  readonly byDefault: ClassVerdict | undefined
  /** Of what is ours without a class that exists: the operator's defaults alone. */
  readonly withoutClass: ClassTerms
  /** The default backend of the oldest class that sets one, for hosts that nobody claimed. */
  readonly defaultBackend: ClassTerms | undefined
  readonly findings: readonly Finding[]
}

interface OwnClass {
  readonly name: string
  readonly ingressClass: IngressClass
  readonly verdict: ClassVerdict
}

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'
const FOREIGN: ClassVerdict = { kind: 'foreign' }

/** The classes of an empty snapshot. */
export function emptyClasses(): Classes {
  return {
    sources: { ingressClasses: new Map(), classParameters: new Map(), defaults: NO_CLASS_FIELDS },
    settings: undefined,
    verdicts: new Map(),
    byDefault: undefined,
    withoutClass: NO_CLASS_TERMS,
    defaultBackend: undefined,
    findings: [],
  }
}

/** The verdicts on all classes; `last` comes back where all that they are judged by is the same. */
export function judgeClasses(snapshot: ClassSources, settings: CompileSettings, last: Classes): Classes {
  const { ingressClasses, classParameters, defaults } = snapshot
  if (isSame(snapshot, last.sources) && settings === last.settings) return last
  const findings: Finding[] = []
  const ours = narrow([...decodeAll(ingressClasses, findings)], settings).map(([name, ingressClass]): OwnClass => {
    const resolved = resolveParameters(ingressClass, classParameters)
    if (resolved.kind === 'unusable') {
      findings.push(unusable(classRef(name), 'spec.parameters', `this class ${resolved.problem}`))
    }
    return { name, ingressClass, verdict: verdictOf(name, resolved, defaults, last) }
  })
  findings.push(...invalidObjects(classParameters))
  const withoutClass = { ...NO_CLASS_TERMS, fields: fieldsOver(defaults, NO_CLASS_FIELDS) }
  return {
    sources: { ingressClasses, classParameters, defaults },
    settings,
    verdicts: new Map([
      ...[...ingressClasses.keys()].map((name) => [name, FOREIGN] as const),
      ...ours.map(({ name, verdict }) => [name, verdict] as const),
    ]),
    byDefault: defaultOf(ours),
    withoutClass: keepEqual(last.withoutClass, withoutClass),
    defaultBackend: oldestDefaultBackend(ours),
    findings,
  }
}

/** The finding that a class with such parameters is not served (R10-8), about the class or an Ingress of it. */
export function unusable(object: ObjectRef, field: string, found: string): Finding {
  return { reason: 'InvalidParameters', object, field, found, effect: 'it is not served' }
}

function isSame(a: ClassSources, b: ClassSources): boolean {
  return a.ingressClasses === b.ingressClasses && a.classParameters === b.classParameters && a.defaults === b.defaults
}

function verdictOf(name: string, resolved: ResolvedParameters, defaults: ClassFields, last: Classes): ClassVerdict {
  if (resolved.kind === 'unusable') return resolved
  const fields = fieldsOver(defaults, resolved.fields)
  const before = last.verdicts.get(name)
  const terms = { ingressClass: name, fields, parameters: resolved.object }
  // Terms that came out the same cost no Ingress of the class a new reading.
  return { kind: 'served', terms: before?.kind === 'served' ? keepEqual(before.terms, terms) : terms }
}

/** Several may be marked: the first by name that is served, so that the order of a cache decides nothing. */
function defaultOf(ours: readonly OwnClass[]): ClassVerdict | undefined {
  const marked = ours
    .filter(({ ingressClass }) => parseBool(ingressClass.metadata.annotations?.[DEFAULT_CLASS] ?? '') === true)
    .toSorted((a, b) => compareText(a.name, b.name))
  return (marked.find(({ verdict }) => verdict.kind === 'served') ?? marked[0])?.verdict
}

function oldestDefaultBackend(ours: readonly OwnClass[]): ClassTerms | undefined {
  const created = ({ ingressClass }: OwnClass): string => ingressClass.metadata.creationTimestamp
  const sorted = ours.toSorted((a, b) => compareText(created(a), created(b)) || compareText(a.name, b.name))
  const terms = sorted.flatMap(({ verdict }) => (verdict.kind === 'served' ? [verdict.terms] : []))
  return terms.find(({ fields }) => fields.defaultBackend !== undefined)
}

/** R50-16: an object that its schema would refuse is reported on itself, whether a class names it or not. */
function invalidObjects(objects: ReadonlyMap<string, ClassParametersReading>): readonly Finding[] {
  return [...objects].flatMap(([key, reading]) => {
    if (reading.kind === 'valid') return []
    const object = refOf('ClassParameters', key)
    const { field, problem } = reading
    return [
      { reason: 'InvalidObject', object, field, found: `${field} ${problem}`, effect: 'the object has no effect' },
    ]
  })
}

/** The classes of our controller; an explicit class name narrows several of them to the one of that name (R10-3). */
function narrow(
  all: readonly (readonly [string, IngressClass])[],
  { ingressClass, ingressClassGiven, controllerName }: CompileSettings,
): readonly (readonly [string, IngressClass])[] {
  const ours = all.filter(([, { spec }]) => spec?.controller === controllerName)
  return ingressClassGiven && ours.length > 1 ? ours.filter(([name]) => name === ingressClass) : ours
}

function decodeAll(
  ingressClasses: ReadonlyMap<string, IngressClass>,
  findings: Finding[],
): ReadonlyMap<string, IngressClass> {
  const classes = new Map<string, IngressClass>()
  for (const [name, raw] of ingressClasses) {
    const decoded = decodeIngressClass(raw)
    if (decoded.ok) classes.set(name, decoded.value)
    else {
      const { field, message } = decoded.error
      const found = `${field} ${message}`
      const effect = 'the object is skipped'
      findings.push({ reason: 'UndecodableObject', object: classRef(name), field, found, effect, channel: 'log' })
    }
  }
  return classes
}

function classRef(name: string): ObjectRef {
  return { kind: 'IngressClass', namespace: '', name }
}
