import { recordOf } from '../lib/json-record.ts'
import { at, type Decode, decoder, optional, type Raw, readInteger, readList, readString } from './decode.ts'
import { readAddresses } from './decode-addresses.ts'
import { readMeta } from './decode-meta.ts'
import type {
  HttpIngressPath,
  Ingress,
  IngressBackend,
  IngressClass,
  IngressRule,
  IngressServiceBackend,
  IngressTls,
  ServiceBackendPort,
} from './networking.ts'

/** Reads an Ingress of networking.k8s.io/v1; of its status the addresses. */
export const decodeIngress: Decode<Ingress> = decoder((raw) => ({
  metadata: readMeta(raw),
  ...optional(raw, 'spec', readIngressSpec),
  ...addressesOf(raw.value),
}))

/** Reads an IngressClass of networking.k8s.io/v1. */
export const decodeIngressClass: Decode<IngressClass> = decoder((raw) => ({
  metadata: readMeta(raw),
  ...optional(raw, 'spec', readClassSpec),
}))

/** Whatever a status holds, it keeps no Ingress from being served: what cannot be read is not there. */
function addressesOf(raw: unknown): Pick<Ingress, 'addresses'> {
  // What was decoded before is decoded again by the compile.
  const read = recordOf(raw)['addresses']
  const written = recordOf(recordOf(recordOf(raw)['status'])['loadBalancer'])['ingress']
  const addresses = readAddresses(Array.isArray(read) ? read : written)
  return addresses.length === 0 ? {} : { addresses }
}

function readIngressSpec(spec: Raw): NonNullable<Ingress['spec']> {
  return {
    ...optional(spec, 'ingressClassName', readString),
    ...optional(spec, 'defaultBackend', readBackend),
    ...optional(spec, 'tls', (tls) => readList(tls, readTls)),
    ...optional(spec, 'rules', (rules) => readList(rules, readRule)),
  }
}

function readTls(tls: Raw): IngressTls {
  return {
    ...optional(tls, 'hosts', (hosts) => readList(hosts, readString)),
    ...optional(tls, 'secretName', readString),
  }
}

function readRule(rule: Raw): IngressRule {
  return {
    ...optional(rule, 'host', readString),
    ...optional(rule, 'http', (http) => ({ paths: readPaths(at(http, 'paths')) })),
  }
}

function readPaths(paths: Raw): HttpIngressPath[] {
  return paths.value === undefined ? [] : readList(paths, readPath)
}

function readPath(path: Raw): HttpIngressPath {
  return {
    ...optional(path, 'path', readString),
    ...optional(path, 'pathType', readString),
    backend: readBackend(at(path, 'backend')),
  }
}

function readBackend(backend: Raw): IngressBackend {
  return {
    ...optional(backend, 'service', readServiceBackend),
    ...optional(backend, 'resource', (resource) => ({
      ...optional(resource, 'apiGroup', readString),
      kind: readString(at(resource, 'kind')),
      name: readString(at(resource, 'name')),
    })),
  }
}

function readServiceBackend(service: Raw): IngressServiceBackend {
  return { name: readString(at(service, 'name')), ...optional(service, 'port', readPort) }
}

function readPort(port: Raw): ServiceBackendPort {
  return { ...optional(port, 'name', readString), ...optional(port, 'number', readInteger) }
}

function readClassSpec(spec: Raw): NonNullable<IngressClass['spec']> {
  return {
    ...optional(spec, 'controller', readString),
    ...optional(spec, 'parameters', (parameters) => ({
      ...optional(parameters, 'apiGroup', readString),
      kind: readString(at(parameters, 'kind')),
      name: readString(at(parameters, 'name')),
      ...optional(parameters, 'namespace', readString),
      ...optional(parameters, 'scope', readString),
    })),
  }
}
