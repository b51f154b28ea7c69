import type { Resource } from '../runtime/resource.ts'

// The kinds that are watched, spelled as in their APIs (R30-1).

export const INGRESSES: Resource = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'ingresses',
  kind: 'Ingress',
  namespaced: true,
}

export const INGRESS_CLASSES: Resource = {
  group: 'networking.k8s.io',
  version: 'v1',
  plural: 'ingressclasses',
  kind: 'IngressClass',
  namespaced: false,
}

export const SERVICES: Resource = { group: '', version: 'v1', plural: 'services', kind: 'Service', namespaced: true }

export const ENDPOINT_SLICES: Resource = {
  group: 'discovery.k8s.io',
  version: 'v1',
  plural: 'endpointslices',
  kind: 'EndpointSlice',
  namespaced: true,
}

export const NAMESPACES: Resource = {
  group: '',
  version: 'v1',
  plural: 'namespaces',
  kind: 'Namespace',
  namespaced: false,
}

export const SECRETS: Resource = { group: '', version: 'v1', plural: 'secrets', kind: 'Secret', namespaced: true }

export const CONFIG_MAPS: Resource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
}

/** Ours, defined by a CRD that may not be there. */
export const CLASS_PARAMETERS: Resource = {
  group: 'ramjet.dev',
  version: 'v1alpha1',
  plural: 'classparameters',
  kind: 'ClassParameters',
  namespaced: true,
}

export const NODES: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node', namespaced: false }
