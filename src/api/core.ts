import type { KubernetesObject } from './meta.ts'

export interface ServicePort {
  readonly name?: string
  readonly port: number
  readonly protocol?: string
  readonly targetPort?: number | string
  readonly appProtocol?: string
}

/** core/v1. */
export interface Service extends KubernetesObject {
  readonly spec?: {
    readonly type?: string
    readonly clusterIP?: string
    readonly clusterIPs?: readonly string[]
    readonly ipFamilies?: readonly string[]
    readonly externalName?: string
    readonly ports?: readonly ServicePort[]
  }
}

/** core/v1; its labels are what is read. */
export type Namespace = KubernetesObject

/** A Secret or a ConfigMap of core/v1: named texts. */
export interface DataObject extends KubernetesObject {
  /** Of a Secret: `kubernetes.io/tls`. */
  readonly type?: string
  /** As the API has them: of a Secret in base64. */
  readonly data: Readonly<Record<string, string>>
}
