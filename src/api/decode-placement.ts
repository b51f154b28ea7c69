import { recordOf } from '../lib/json-record.ts'
import { at, type Decode, decoder } from './decode.ts'
import { readAddresses } from './decode-addresses.ts'
import { readIdentity } from './decode-meta.ts'
import type { Node, PodPlace, PodPlaces, PublishedService } from './placement.ts'

/** Reads a Node of core/v1: its addresses. */
export const decodeNode: Decode<Node> = decoder((raw) => {
  const { addresses } = recordOf(recordOf(raw.value)['status'])
  return {
    metadata: readIdentity(at(raw, 'metadata')),
    externalIps: addressesOfType(addresses, 'ExternalIP'),
    internalIps: addressesOfType(addresses, 'InternalIP'),
  }
})

/** Reads a Service of core/v1 for the addresses under which it is reached from outside. */
export const decodePublishedService: Decode<PublishedService> = decoder((raw) => {
  const { status, spec } = recordOf(raw.value)
  return {
    metadata: readIdentity(at(raw, 'metadata')),
    balancer: readAddresses(recordOf(recordOf(status)['loadBalancer'])['ingress']),
    externalIps: textsOf(recordOf(spec)['externalIPs']),
  }
})

/** Reads an EndpointSlice of discovery.k8s.io/v1 for the pods that are ready, and where they run. */
export const decodePodPlaces: Decode<PodPlaces> = decoder((raw) => {
  const { endpoints } = recordOf(raw.value)
  const pods = Array.isArray(endpoints) ? endpoints.flatMap((endpoint: unknown) => readPod(endpoint)) : []
  return { metadata: readIdentity(at(raw, 'metadata')), pods }
})

function readPod(endpoint: unknown): readonly PodPlace[] {
  const { addresses, conditions, nodeName } = recordOf(endpoint)
  // Absent reads as ready.
  if (recordOf(conditions)['ready'] === false) return []
  return [{ addresses: textsOf(addresses), node: typeof nodeName === 'string' ? nodeName : undefined }]
}

function addressesOfType(list: unknown, type: string): readonly string[] {
  if (!Array.isArray(list)) return []
  return textsOf(list.map(recordOf).flatMap((entry) => (entry['type'] === type ? [entry['address']] : [])))
}

function textsOf(list: unknown): readonly string[] {
  return Array.isArray(list) ? list.filter((text): text is string => typeof text === 'string' && text !== '') : []
}
