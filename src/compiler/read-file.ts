// A routes file -> its contribution and its backends (R00-18, R20-174). The same rules as for an Ingress.

import { parseRuleHost } from '../lib/host-name.ts'
import { endpointAddress } from '../lib/ip.ts'
import { DEFAULT_SERVER_NAME } from '../model/certificate-table.ts'
import { digestOfBackend } from '../model/elements.ts'
import type { ObjectRef } from '../model/object-ref.ts'
import { ANY_HOST, type Backend } from '../model/route-table.ts'
import { NO_CLASS_TERMS } from './class-terms.ts'
import type { Candidate, Contribution, TlsEntry } from './contribution.ts'
import { type Finding, quote } from './finding.ts'
import { readPath } from './paths.ts'
import type { FileBackend, FileRoute, FileTls, RouteFile } from './snapshot.ts'

export interface FileReading {
  readonly file: RouteFile | undefined
  readonly contribution: Contribution | undefined
  /** By name in the table. */
  readonly backends: ReadonlyMap<string, Backend>
  readonly findings: readonly Finding[]
}

/** The reading of no file. */
export const NO_FILE: FileReading = { file: undefined, contribution: undefined, backends: new Map(), findings: [] }

const NONE: ReadonlyMap<string, string> = new Map()

/** Reads the file of a snapshot; `last` comes back where it is the same. */
export function readFile(file: RouteFile | undefined, last: FileReading): FileReading {
  if (file === last.file) return last
  return file ? readRoutes(file) : NO_FILE
}

function readRoutes(file: RouteFile): FileReading {
  const object: ObjectRef = { kind: 'File', namespace: '', name: file.name }
  const hosts = new Map<string, Candidate[]>()
  const findings: Finding[] = []
  for (const [index, route] of file.routes.entries()) {
    const read = readRoute(object, route, index)
    if ('reason' in read) findings.push(read)
    else hosts.set(read.host, [...(hosts.get(read.host) ?? []), read.candidate])
  }
  const contribution: Contribution = {
    key: file.name,
    object,
    source: 'file',
    createdAt: '',
    hosts,
    defaultBackend: readDefault(file),
    tls: (file.tls ?? []).map(readTls),
    policy: undefined,
    https: undefined,
    hostTexts: NONE,
    backendTexts: NONE,
    closed: { location: false, host: false, backend: false },
    terms: NO_CLASS_TERMS,
  }
  return { file, contribution, backends: readBackends(file.backends), findings }
}

function readRoute(
  object: ObjectRef,
  route: FileRoute,
  index: number,
): { readonly host: string; readonly candidate: Candidate } | Finding {
  const effect = 'that route is not served'
  const host = route.host === undefined ? ANY_HOST : parseRuleHost(route.host)
  if (typeof host !== 'string' && !host.ok) {
    const found = `host ${quote(route.host ?? '')} ${host.error}`
    return { reason: 'InvalidHost', object, field: `routes[${index}].host`, found, effect }
  }
  const field = `routes[${index}].path`
  const path = readPath(route.path, route.pathType)
  if (!path.ok) {
    const found = `path ${quote(route.path)} ${path.error.message}`
    return { reason: path.error.reason, object, field, found, effect }
  }
  const backend = { kind: 'file', name: tableName(route.backend), field: `routes[${index}].backend` } as const
  const { groups: _, ...read } = path.value
  const origin = { ...object, rule: String(index) }
  const candidate = { ...read, backend, policy: undefined, redirect: undefined, https: undefined, origin, field }
  return { host: typeof host === 'string' ? host : host.value, candidate }
}

function readTls({ host, certificate }: FileTls, index: number): TlsEntry {
  return { hosts: [host ?? DEFAULT_SERVER_NAME], source: { kind: 'pair', certificate }, field: `tls[${index}]` }
}

function readDefault({ defaultBackend }: RouteFile): Contribution['defaultBackend'] {
  if (defaultBackend === undefined) return undefined
  const field = 'defaultBackend'
  return { backend: { kind: 'file', name: tableName(defaultBackend), field }, isGlobal: true, field }
}

function readBackends(backends: readonly FileBackend[]): ReadonlyMap<string, Backend> {
  return new Map(backends.map((backend) => [tableName(backend.name), readBackend(backend)]))
}

function readBackend({ name, endpoints, ...settings }: FileBackend): Backend {
  const fixedEndpoints = endpoints.map(
    ({ host, port, weight }) =>
      ({ address: endpointAddress(host, port), host, port, weight, readiness: 'ready' }) as const,
  )
  const backend = { ...settings, name: tableName(name), source: 'file', fixedEndpoints } as const
  return { ...backend, digest: digestOfBackend(backend) }
}

/** `namespace/service:port` is the name of a Service port, which a name in a file must not take. */
function tableName(name: string): string {
  return name.includes('/') ? `file:${name}` : name
}
