import type { KubernetesObject } from './meta.ts'

/** The label that ties a slice to its Service. */
export const SERVICE_NAME_LABEL = 'kubernetes.io/service-name'

export interface EndpointConditions {
  /** Absent reads as true. */
  readonly ready?: boolean | null
  readonly serving?: boolean | null
  readonly terminating?: boolean | null
}

export interface SliceEndpoint {
  readonly addresses: readonly string[]
  readonly conditions?: EndpointConditions
}

export interface SlicePort {
  readonly name?: string | null
  readonly port?: number | null
  readonly protocol?: string | null
}

/** discovery.k8s.io/v1. */
export interface EndpointSlice extends KubernetesObject {
  readonly addressType: string
  readonly endpoints?: readonly SliceEndpoint[] | null
  readonly ports?: readonly SlicePort[] | null
}
