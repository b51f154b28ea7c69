import type { KubernetesObject } from './meta.ts'

export interface ServiceBackendPort {
  readonly name?: string
  readonly number?: number
}

export interface IngressServiceBackend {
  readonly name: string
  readonly port?: ServiceBackendPort
}

export interface IngressBackend {
  readonly service?: IngressServiceBackend
  readonly resource?: { readonly apiGroup?: string; readonly kind: string; readonly name: string }
}

export interface HttpIngressPath {
  readonly path?: string
  /** `Exact`, `Prefix` or `ImplementationSpecific`; older clusters and files may hold anything or nothing. */
  readonly pathType?: string
  readonly backend: IngressBackend
}

export interface IngressRule {
  readonly host?: string
  readonly http?: { readonly paths: readonly HttpIngressPath[] }
}

export interface IngressTls {
  readonly hosts?: readonly string[]
  readonly secretName?: string
}

/** Where traffic for an Ingress enters: one of the two. */
export interface LoadBalancerAddress {
  readonly ip?: string
  readonly hostname?: string
}

/** networking.k8s.io/v1. */
export interface Ingress extends KubernetesObject {
  /** Addresses that were written onto it, by whomever; absent where there are none. */
  readonly addresses?: readonly LoadBalancerAddress[]
  readonly spec?: {
    readonly ingressClassName?: string
    readonly defaultBackend?: IngressBackend
    readonly tls?: readonly IngressTls[]
    readonly rules?: readonly IngressRule[]
  }
}

/** networking.k8s.io/v1, cluster-scoped. */
export interface IngressClass extends KubernetesObject {
  readonly spec?: {
    readonly controller?: string
    readonly parameters?: {
      readonly apiGroup?: string
      readonly kind: string
      readonly name: string
      readonly namespace?: string
      readonly scope?: string
    }
  }
}
