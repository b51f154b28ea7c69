// What a reference to a backend comes to (R10-34, R10-37 to R10-40).

import type { BackendTraits } from '../annotations/backend-traits.ts'
import type { Service, ServicePort } from '../api/core.ts'
import type { DecodeFault } from '../api/decode.ts'
import { decodeService } from '../api/decode-core.ts'
import type { Result } from '../lib/result.ts'
import { digestOfBackend } from '../model/elements.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import type { Backend, RefusalReason } from '../model/route-table.ts'
import type { WarningReason } from '../model/warning.ts'
import type { BackendRef } from './contribution.ts'
import { type Finding, quote } from './finding.ts'

/** Services as they were read, by the object they were read from: a Service may be looked up by many paths. */
export type ServiceCache = WeakMap<object, Result<Service, DecodeFault>>

/** What references are looked up in. */
export interface BackendSources {
  /** By `namespace/name`. */
  readonly services: ReadonlyMap<string, Service>
  readonly decoded: ServiceCache
  /** By name in the table. */
  readonly fileBackends: ReadonlyMap<string, Backend>
  readonly allowExternalName: boolean
}

/** The backend, or why requests for it are answered 503: never passed on to a shorter path (R10-37). */
export type Target =
  | { readonly kind: 'backend'; readonly name: string }
  | {
      readonly kind: 'refused'
      /** The reference in words of its own, for the route's identity. */
      readonly name: string
      readonly reason: RefusalReason
      readonly warning: WarningReason
      /** Part of a sentence that begins with the path. */
      readonly problem: string
      /** About the Service itself, where that is what is wrong. */
      readonly cause: Finding | undefined
    }

export function resolveBackend(ref: BackendRef, sources: BackendSources): Target {
  switch (ref.kind) {
    case 'file':
      return sources.fileBackends.has(ref.name)
        ? { kind: 'backend', name: ref.name }
        : unresolved(ref.name, `names the backend ${quote(ref.name)}, which the file does not have`)
    case 'unsupported': {
      const problem = `names ${ref.text} as its backend, and only a Service can be one`
      const refused = { kind: 'refused', name: ref.text, problem, cause: undefined } as const
      return { ...refused, reason: 'unsupported-backend', warning: 'UnsupportedBackend' }
    }
    case 'service':
      return resolveService(ref, sources)
  }
}

/** `namespace/name` of the Service that a reference looks up; `undefined` for one that looks up none. */
export function serviceKeyOf(ref: BackendRef): string | undefined {
  return ref.kind === 'service' ? `${ref.namespace}/${ref.name}` : undefined
}

/** The Service (`namespace/name`) and port number that the name of a cluster backend is made of. */
export function splitBackendName(name: string): { readonly service: string; readonly port: number } {
  const colon = name.lastIndexOf(':')
  return { service: name.slice(0, Math.max(0, colon)), port: Number(name.slice(colon + 1)) }
}

export function backendName(service: string, port: number): string {
  return `${service}:${port}`
}

/** The backend of a Service port, on the terms of those that name it. */
export function serviceBackend(name: string, traits: BackendTraits): Backend {
  const backend = { ...traits, name, source: 'ingress', fixedEndpoints: undefined } as const
  return { ...backend, digest: digestOfBackend(backend) }
}

/** The Service `namespace/name`; `undefined` where there is none that can be read. */
export function serviceOf(key: string, { services, decoded: cache }: BackendSources): Service | undefined {
  const raw = services.get(key)
  const decoded = raw && readService(raw, cache)
  return decoded?.ok === true ? decoded.value : undefined
}

/** Reports whether a Service has no cluster IP, on purpose. */
export function isHeadless({ spec }: Service): boolean {
  return spec?.clusterIP === 'None'
}

/** The TCP ports of a Service: HTTP travels over no other. */
function tcpPorts(service: Service): readonly ServicePort[] {
  return (service.spec?.ports ?? []).filter(({ protocol }) => protocol === undefined || protocol === 'TCP')
}

/**
 * The ports that an Ingress may name. A Service of type ExternalName need not list any: then there are all, of which
 * `asked` is one.
 */
export function httpPorts(service: Service, asked: number | string): readonly ServicePort[] {
  const isOpen = service.spec?.type === 'ExternalName' && (service.spec.ports ?? []).length === 0
  return isOpen && typeof asked === 'number' ? [{ port: asked }] : tcpPorts(service)
}

type ServiceRef = Extract<BackendRef, { kind: 'service' }>

function resolveService(ref: ServiceRef, { services, decoded: cache, allowExternalName }: BackendSources): Target {
  const key = `${ref.namespace}/${ref.name}`
  const name = `${key}:${ref.port ?? ''}`
  const service = `the Service ${quote(key)}`
  const raw = services.get(key)
  if (raw === undefined) return unresolved(name, `names ${service}, which does not exist`)
  const decoded = readService(raw, cache)
  if (!decoded.ok) {
    const { field, message } = decoded.error
    return unresolved(name, `names ${service}, which cannot be read`, undecodable(ref, field, message))
  }
  if (decoded.value.spec?.type === 'ExternalName' && !allowExternalName) return externalName(name, service)
  if (ref.port === undefined) return unresolved(name, `names no port of ${service}`)
  const port = httpPorts(decoded.value, ref.port).find(
    ({ port: number, name: word }) => ref.port === number || ref.port === word,
  )
  if (port) return { kind: 'backend', name: backendName(key, port.port) }
  return unresolved(name, `names the port ${quote(String(ref.port))}, which ${service} does not have`)
}

function readService(raw: Service, cache: ServiceCache): Result<Service, DecodeFault> {
  const known = cache.get(raw)
  if (known) return known
  const decoded = decodeService(raw)
  // What is no object cannot be a key, and is read in no time.
  if (decoded.ok) cache.set(raw, decoded)
  return decoded
}

function unresolved(name: string, problem: string, cause?: Finding): Target {
  const refused = { kind: 'refused', name, problem, cause } as const
  return { ...refused, reason: 'unresolved-service', warning: 'UnresolvableService' }
}

function externalName(name: string, service: string): Target {
  const problem = `names ${service} of type ExternalName, and --allow-external-name is off`
  const refused = { kind: 'refused', name, problem, cause: undefined } as const
  return { ...refused, reason: 'external-name', warning: 'ExternalNameDisabled' }
}

function undecodable({ namespace, name }: ServiceRef, field: string, message: string): Finding {
  const object: ObjectRef = { kind: 'Service', namespace, name }
  const found = `${field} ${message}`
  return { reason: 'UndecodableObject', object, field, found, effect: 'the object is skipped', channel: 'log' }
}
