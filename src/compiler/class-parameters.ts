// What the parameters of an IngressClass come to (R50-12 to R50-14).
import type { IngressClass } from '../api/networking.ts'
import { type ClassFields, NO_CLASS_FIELDS } from '../model/class-fields.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { quote } from './finding.ts'
import type { ClassParametersReading } from './snapshot.ts'

/** What a class sets, or why it cannot be served. */
export type ResolvedParameters =
  | { readonly kind: 'usable'; readonly fields: ClassFields; readonly object: ObjectRef | undefined }
  /** `problem` follows the class's name: `names the ClassParameters "shop/tuned", which ...`. */
  | { readonly kind: 'unusable'; readonly problem: string }

type ParametersRef = NonNullable<NonNullable<IngressClass['spec']>['parameters']>

const GROUP = 'ramjet.dev'
const KIND = 'ClassParameters'

/** Looks up what `ingressClass` names as its parameters; a class that names none sets nothing. */
export function resolveParameters(
  { spec }: IngressClass,
  objects: ReadonlyMap<string, ClassParametersReading>,
): ResolvedParameters {
  if (!spec?.parameters) return { kind: 'usable', fields: NO_CLASS_FIELDS, object: undefined }
  const { apiGroup = '', kind, namespace = '', name, scope = 'Cluster' } = spec.parameters
  if (apiGroup !== GROUP || kind !== KIND)
    return unusable(`names the parameters ${kindName(spec.parameters)}, and only ${KIND} of ${GROUP} can be read`)
  if (scope !== 'Namespace' || namespace === '') {
    return unusable(`names the ${KIND} ${quote(name)} without a namespace, which needs the scope Namespace and one`)
  }
  const key = `${namespace}/${name}`
  const object = objects.get(key)
  if (object === undefined) return unusable(`names the ${KIND} ${quote(key)}, which are in no watched namespace`)
  if (object.kind === 'invalid') {
    return unusable(`names the ${KIND} ${quote(key)}, of which ${object.field} ${object.problem}`)
  }
  return { kind: 'usable', fields: object.fields, object: { kind: KIND, namespace, name } }
}

function unusable(problem: string): ResolvedParameters {
  return { kind: 'unusable', problem }
}

function kindName({ apiGroup = '', kind }: ParametersRef): string {
  return quote(apiGroup === '' ? kind : `${kind}.${apiGroup}`)
}
