// ClassParameters, and classes that name them.
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'
import { ingressClass } from './classes.ts'

/** ClassParameters of a namespace. */
export function classParameters(namespace: string, name: string, spec: Readonly<Record<string, unknown>>): KubeObject {
  return { apiVersion: 'ramjet.dev/v1alpha1', kind: 'ClassParameters', metadata: { namespace, name }, spec }
}

/** A class of ours that names the ClassParameters `parameters` of `namespace`. */
export function classWithParameters(name: string, namespace: string, parameters: string): KubeObject {
  const base = ingressClass(name)
  const spec = base['spec'] as Readonly<Record<string, unknown>>
  const reference = {
    apiGroup: 'ramjet.dev',
    kind: 'ClassParameters',
    scope: 'Namespace',
    namespace,
    name: parameters,
  }
  return { ...base, spec: { ...spec, parameters: reference } }
}
