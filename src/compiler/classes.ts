// Which IngressClasses are ours, and which of them are served (R10-1 to R10-3, R10-8).
import { parseBool } from '../annotations/values.ts'
import { decodeIngressClass } from '../api/decode-networking.ts'
import type { IngressClass } from '../api/networking.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Finding } from './finding.ts'
import type { CompileSettings } from './snapshot.ts'

/** `unusable`: ours, but with parameters that this build cannot read. `foreign`: somebody else's, or narrowed out. */
export type ClassVerdict = 'served' | 'unusable' | 'foreign'

export interface Classes {
  readonly ingressClasses: ReadonlyMap<string, IngressClass>
  readonly settings: CompileSettings | undefined
  /** By name; a class that does not exist has none. */
  readonly verdicts: ReadonlyMap<string, ClassVerdict>
  /** Of the class that an Ingress without class falls to; `undefined` where none of ours is the default. */
  readonly byDefault: ClassVerdict | undefined
  readonly findings: readonly Finding[]
}

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'

/** The classes of an empty snapshot. */
export function emptyClasses(): Classes {
  return { ingressClasses: new Map(), settings: undefined, verdicts: new Map(), byDefault: undefined, findings: [] }
}

/** The verdicts on all classes; `last` comes back where classes and settings are the same. */
export function judgeClasses(
  ingressClasses: ReadonlyMap<string, IngressClass>,
  settings: CompileSettings,
  last: Classes,
): Classes {
  if (ingressClasses === last.ingressClasses && settings === last.settings) return last
  const findings: Finding[] = []
  const classes = decodeAll(ingressClasses, findings)
  const ours = narrow(
    [...classes].filter(([, { spec }]) => spec?.controller === settings.controllerName),
    settings,
  )
  const verdicts = new Map<string, ClassVerdict>([...ingressClasses.keys()].map((name) => [name, 'foreign']))
  const defaults: ClassVerdict[] = []
  for (const [name, ingressClass] of ours) {
    const verdict = ingressClass.spec?.parameters ? 'unusable' : 'served'
    verdicts.set(name, verdict)
    if (verdict === 'unusable') findings.push(unusable(classRef(name), 'spec.parameters', 'this class'))
    if (parseBool(ingressClass.metadata.annotations?.[DEFAULT_CLASS] ?? '') === true) defaults.push(verdict)
  }
  const byDefault = defaults.includes('served') ? 'served' : defaults[0]
  return { ingressClasses, settings, verdicts, byDefault, findings }
}

/** The finding that a class with parameters is not served (R10-8), about the class or an Ingress of it. */
export function unusable(object: ObjectRef, field: string, subject: string): Finding {
  return {
    reason: 'InvalidParameters',
    object,
    field,
    found: `${subject} has parameters, which are not in this build`,
    effect: 'it is not served',
  }
}

/** An explicit class name narrows several classes of ours to the one of that name (R10-3). */
function narrow(
  ours: readonly (readonly [string, IngressClass])[],
  { ingressClass, ingressClassGiven }: CompileSettings,
): readonly (readonly [string, IngressClass])[] {
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
