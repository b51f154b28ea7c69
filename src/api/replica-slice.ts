import { recordOf } from '../lib/json-record.ts'
import { at, type Decode, decoder } from './decode.ts'
import { readIdentity } from './decode-meta.ts'
import type { KubernetesObject } from './meta.ts'

/** What is read of an EndpointSlice of the admin Service: which pods there are and where they listen. */
export interface ReplicaSlice extends KubernetesObject {
  /** Of the port named `admin`, else the first; `undefined`: it has none. */
  readonly port: number | undefined
  readonly pods: readonly ReplicaPod[]
}

export interface ReplicaPod {
  readonly address: string
  readonly ready: boolean
  /** `undefined`: the slice names no pod. */
  readonly name: string | undefined
}

/** Reads an EndpointSlice of discovery.k8s.io/v1 for the pods behind it, ready or not. */
export const decodeReplicaSlice: Decode<ReplicaSlice> = decoder((raw) => {
  const { endpoints, ports } = recordOf(raw.value)
  return {
    metadata: readIdentity(at(raw, 'metadata')),
    port: Array.isArray(ports) ? portOf(ports.map(recordOf)) : undefined,
    pods: Array.isArray(endpoints) ? endpoints.flatMap((endpoint: unknown) => readPod(endpoint)) : [],
  }
})

function portOf(ports: readonly Readonly<Record<string, unknown>>[]): number | undefined {
  const admin = ports.find(({ name }) => name === 'admin') ?? ports[0]
  const port = admin?.['port']
  return typeof port === 'number' && port > 0 && port < 65_536 ? port : undefined
}

function readPod(endpoint: unknown): readonly ReplicaPod[] {
  const { addresses, conditions, targetRef } = recordOf(endpoint)
  const address: unknown = Array.isArray(addresses) ? addresses[0] : undefined
  if (typeof address !== 'string') return []
  const { kind, name } = recordOf(targetRef)
  const isNamed = kind === 'Pod' && typeof name === 'string' && name !== ''
  // Absent reads as ready.
  return [{ address, ready: recordOf(conditions)['ready'] !== false, name: isNamed ? name : undefined }]
}
