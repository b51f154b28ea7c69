import type { Namespace, Service, ServicePort } from './core.ts'
import { at, type Decode, decoder, fail, optional, type Raw, readInteger, readList, readString } from './decode.ts'
import { readIdentity, readMeta } from './decode-meta.ts'

/** Reads a Service of core/v1: addresses and ports. Labels, annotations and status are not kept. */
export const decodeService: Decode<Service> = decoder((raw) => ({
  metadata: readIdentity(at(raw, 'metadata')),
  ...optional(raw, 'spec', readSpec),
}))

/** Reads a Namespace of core/v1: its name and labels. */
export const decodeNamespace: Decode<Namespace> = decoder((raw) => ({ metadata: readMeta(raw) }))

function readSpec(spec: Raw): NonNullable<Service['spec']> {
  return {
    ...optional(spec, 'type', readString),
    ...optional(spec, 'clusterIP', readString),
    ...optional(spec, 'clusterIPs', (addresses) => readList(addresses, readString)),
    ...optional(spec, 'ipFamilies', (families) => readList(families, readString)),
    ...optional(spec, 'externalName', readString),
    ...optional(spec, 'ports', (ports) => readList(ports, readPort)),
  }
}

function readPort(port: Raw): ServicePort {
  return {
    ...optional(port, 'name', readString),
    port: readInteger(at(port, 'port')),
    ...optional(port, 'protocol', readString),
    ...optional(port, 'targetPort', readTargetPort),
    ...optional(port, 'appProtocol', readString),
  }
}

function readTargetPort(raw: Raw): number | string {
  if (typeof raw.value === 'string') return raw.value
  return typeof raw.value === 'number' ? readInteger(raw) : fail(raw, 'is neither a number nor a name')
}
