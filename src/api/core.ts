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
