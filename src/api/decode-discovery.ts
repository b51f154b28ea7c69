import {
  at,
  type Decode,
  decoder,
  optional,
  type Raw,
  readBoolean,
  readInteger,
  readList,
  readString,
} from './decode.ts'
import { readIdentity } from './decode-meta.ts'
import {
  type EndpointConditions,
  type EndpointSlice,
  SERVICE_NAME_LABEL,
  type SliceEndpoint,
  type SlicePort,
} from './discovery.ts'
import type { ObjectMeta } from './meta.ts'

/** Reads an EndpointSlice of discovery.k8s.io/v1: addresses, conditions, ports, and the one label that is read. */
export const decodeEndpointSlice: Decode<EndpointSlice> = decoder((raw) => ({
  metadata: readSliceMeta(at(raw, 'metadata')),
  addressType: readString(at(raw, 'addressType')),
  ...optional(raw, 'endpoints', (endpoints) => readList(endpoints, readEndpoint)),
  ...optional(raw, 'ports', (ports) => readList(ports, readPort)),
}))

function readSliceMeta(meta: Raw): ObjectMeta {
  const labels = at(meta, 'labels')
  const service = labels.value === undefined ? labels : at(labels, SERVICE_NAME_LABEL)
  if (service.value === undefined) return readIdentity(meta)
  return { ...readIdentity(meta), labels: { [SERVICE_NAME_LABEL]: readString(service) } }
}

function readEndpoint(endpoint: Raw): SliceEndpoint {
  return {
    addresses: readList(at(endpoint, 'addresses'), readString),
    ...optional(endpoint, 'conditions', readConditions),
  }
}

function readConditions(conditions: Raw): EndpointConditions {
  return {
    ...optional(conditions, 'ready', readBoolean),
    ...optional(conditions, 'serving', readBoolean),
    ...optional(conditions, 'terminating', readBoolean),
  }
}

function readPort(port: Raw): SlicePort {
  return {
    ...optional(port, 'name', readString),
    ...optional(port, 'port', readInteger),
    ...optional(port, 'protocol', readString),
  }
}
