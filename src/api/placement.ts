import type { KubernetesObject } from './meta.ts'
import type { LoadBalancerAddress } from './networking.ts'

/** A Node of core/v1: where it can be reached. */
export interface Node extends KubernetesObject {
  readonly externalIps: readonly string[]
  readonly internalIps: readonly string[]
}

/** A Service of core/v1 whose addresses are published. */
export interface PublishedService extends KubernetesObject {
  /** `status.loadBalancer`. */
  readonly balancer: readonly LoadBalancerAddress[]
  readonly externalIps: readonly string[]
}

/** Where the pods behind a Service run: what is read of an EndpointSlice for it. */
export interface PodPlaces extends KubernetesObject {
  readonly pods: readonly PodPlace[]
}

export interface PodPlace {
  readonly addresses: readonly string[]
  /** `undefined`: on no node. */
  readonly node: string | undefined
}
