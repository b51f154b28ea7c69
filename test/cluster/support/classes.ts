import type { KubeObject } from '../../../hack/cluster/kube-client.ts'

/** The value of `--controller-name` where it is not given. */
export const OUR_CONTROLLER = 'ramjet.dev/ingress'

const DEFAULT_CLASS = 'ingressclass.kubernetes.io/is-default-class'

export interface ClassShape {
  readonly controller?: string
  /** Whether it is the class of Ingresses that name none. */
  readonly isDefault?: boolean
}

export function ingressClass(
  name: string,
  { controller = OUR_CONTROLLER, isDefault = false }: ClassShape = {},
): KubeObject {
  const metadata = { name, ...(isDefault && { annotations: { [DEFAULT_CLASS]: 'true' } }) }
  return { apiVersion: 'networking.k8s.io/v1', kind: 'IngressClass', metadata, spec: { controller } }
}
