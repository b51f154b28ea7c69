// `--namespace-selector`: which namespaces' Ingresses are read, by the labels of the Namespace objects (R50-8).
import type { Namespace } from '../api/core.ts'
import type { KubernetesObject } from '../api/meta.ts'
import { type LabelSelector, matchesLabels } from '../lib/label-selector.ts'
import type { MapToRequests } from '../runtime/handler.ts'
import type { Lister } from '../runtime/lister.ts'

/** The index of a kind by the namespace of its objects. */
export const BY_NAMESPACE = 'namespace'

/** Reports whether a namespace is selected now. One that is not known is not, so that nothing is served by accident. */
export function selectedNamespaces(
  namespaces: Pick<Lister<Namespace>, 'get'>,
  selector: LabelSelector,
): (namespace: string) => boolean {
  return (name) => {
    const namespace = namespaces.get(name)
    return namespace !== undefined && matchesLabels(selector, namespace.metadata.labels)
  }
}

/** The Ingresses that a change of a Namespace concerns; `ingresses` is indexed `BY_NAMESPACE`. */
export function ingressesOf<T extends KubernetesObject>(
  ingresses: Pick<Lister<T>, 'byIndex'>,
): MapToRequests<Namespace> {
  return ({ metadata }) =>
    ingresses
      .byIndex(BY_NAMESPACE, metadata.name)
      .map((ingress) => ({ namespace: metadata.name, name: ingress.metadata.name }))
}
