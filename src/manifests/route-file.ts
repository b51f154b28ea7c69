// The text of a routes file -> its values, or what is wrong with it, by line and field (R20-174 to R20-178).

import type { FileBackend, FileRoute, FileTls, RouteFile } from '../compiler/snapshot.ts'
import { nearest } from '../lib/edit-distance.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { parseBalancingPolicy } from '../model/balancing-policy.ts'
import type { HealthCheck } from '../model/policy.ts'
import type { BalancingPolicy } from '../model/route-table.ts'
import { CHECK_FIELDS, durationFrom, readCheck } from './check-entry.ts'
import { ENDPOINT_FIELDS, type EndpointEntry, readEndpoint } from './endpoint-entry.ts'
import type { FileFault } from './file-fault.ts'
import { type FieldNames, FileNotes, MappingReader } from './mapping-reader.ts'
import { NO_PEM_FILES, type PemFiles } from './pem-files.ts'
import {
  parseProtocol,
  readTlsEntry,
  readUpstreamTls,
  TLS_FIELDS,
  UPSTREAM_TLS_FIELDS,
  unverifiedTls,
} from './tls-entry.ts'
import { parseYaml, type YamlNode } from './yaml-tree.ts'

const FILE_FIELDS: FieldNames = { known: ['defaultBackend', 'backends', 'routes', 'tls'], later: ['caches'] }

const BACKEND_FIELDS: FieldNames = {
  known: ['name', 'policy', 'endpoints', 'slowStart', 'healthCheck', 'protocol', 'tls'],
  later: [],
}

const ROUTE_FIELDS: FieldNames = {
  known: ['host', 'path', 'pathType', 'backend'],
  later: [
    'canary',
    'timeout',
    'maxBodySize',
    'mirror',
    'requestHeaders',
    'responseHeaders',
    'rewriteTarget',
    'handler',
    'cacheName',
    'maxTTL',
    'provider',
  ],
}

/** The fields that this build acts on, by what has them. */
export const ROUTE_FILE_FIELDS: Readonly<
  Record<'file' | 'backend' | 'healthCheck' | 'endpoint' | 'route' | 'tls' | 'upstreamTls', readonly string[]>
> = {
  file: FILE_FIELDS.known,
  backend: BACKEND_FIELDS.known,
  healthCheck: CHECK_FIELDS.known,
  endpoint: ENDPOINT_FIELDS.known,
  route: ROUTE_FIELDS.known,
  tls: TLS_FIELDS.known,
  upstreamTls: UPSTREAM_TLS_FIELDS.known,
}

const PATH_TYPES = ['Exact', 'Prefix', 'ImplementationSpecific'] as const
const BACKEND_NAME = /^[A-Za-z0-9]([\w.-]{0,126}[A-Za-z0-9])?$/

/** A file whose values have the right types, and the line of each field for what the compiler finds. */
export interface ReadRouteFile {
  readonly file: RouteFile
  readonly lineOf: (field: string) => number
}

/** Reads the text of the file `name`. The error has every fault, in order of lines. */
export function parseRouteFile(
  name: string,
  text: string,
  pems: PemFiles = NO_PEM_FILES,
): Result<ReadRouteFile, readonly FileFault[]> {
  const tree = parseYaml(text)
  return tree.ok ? readRouteTree(name, tree.value, pems) : err([tree.error])
}

/** The same of a text that was taken apart; `pems`: what the paths in it lead to. */
export function readRouteTree(
  name: string,
  tree: YamlNode,
  pems: PemFiles,
): Result<ReadRouteFile, readonly FileFault[]> {
  const notes = new FileNotes()
  const file = readFile(name, tree, { notes, pems })
  if (notes.faults.length > 0) return err(notes.faults.toSorted((a, b) => a.line - b.line))
  return ok({ file, lineOf: (field) => notes.lineOf(field) })
}

/** How much is in a file, for people. */
export function countsOf({ backends, routes, defaultBackend, tls = [] }: RouteFile): {
  readonly backends: number
  readonly endpoints: number
  readonly routes: number
  readonly certificates: number
  readonly hasDefaultBackend: boolean
} {
  return {
    backends: backends.length,
    endpoints: backends.reduce((sum, { endpoints }) => sum + endpoints.length, 0),
    routes: routes.length,
    certificates: tls.length,
    hasDefaultBackend: defaultBackend !== undefined,
  }
}

/** What all parts of a file are read with. */
interface Reading {
  readonly notes: FileNotes
  readonly pems: PemFiles
}

function readFile(name: string, root: YamlNode, reading: Reading): RouteFile {
  const { notes } = reading
  if (root.kind !== 'mapping') {
    notes.add(root.line, '', `must have the fields ${FILE_FIELDS.known.join(', ')}`)
    return { name, backends: [], routes: [], defaultBackend: undefined }
  }
  const reader = new MappingReader(notes, root, { field: '', names: FILE_FIELDS })
  const backends = readBackends(reader, reading)
  const tls = readTls(reader, reading)
  const names = new Set(backends.map((backend) => backend.name))
  const routes = reader.items('routes').flatMap((item) => readRoute(item, names, notes) ?? [])
  const defaultBackend = readBackendName(reader, 'defaultBackend', names)
  return { name, backends, routes, defaultBackend, ...(tls.length === 0 ? {} : { tls }) }
}

function readTls(file: MappingReader, { notes, pems }: Reading): readonly FileTls[] {
  return file.items('tls').flatMap(({ node, field }) => {
    const reader = readerOf(node, { field, names: TLS_FIELDS }, notes)
    return (reader && readTlsEntry(reader, pems)) ?? []
  })
}

function readBackends(file: MappingReader, reading: Reading): readonly FileBackend[] {
  const { notes } = reading
  const fieldByName = new Map<string, string>()
  return file.items('backends').flatMap(({ node, field }) => {
    const reader = readerOf(node, { field, names: BACKEND_FIELDS }, notes)
    const backend = reader && readBackend(reader, reading)
    if (reader === undefined || backend === undefined) return []
    const twin = fieldByName.get(backend.name)
    if (twin !== undefined) reader.reject('name', `${twin} has the name ${backend.name} already`)
    fieldByName.set(backend.name, field)
    return [backend]
  })
}

function readBackend(reader: MappingReader, reading: Reading): FileBackend | undefined {
  const { notes } = reading
  const name = reader.required('name')
  if (name !== undefined && !BACKEND_NAME.test(name)) reader.reject('name', 'must be letters, digits, ".", "_" or "-"')
  const policy = reader.parsed<BalancingPolicy>('policy', 'roundRobin', (text) => parseBalancingPolicy(text))
  const slowStartMs = reader.parsed('slowStart', 0, durationFrom(0))
  const healthCheck = readHealthCheck(reader, notes)
  const spoken = readSpoken(reader, reading)
  if (reader.node('endpoints') === undefined) reader.reject('endpoints', 'is missing')
  const endpoints = reader.items('endpoints').flatMap((item) => readEndpoint(item, notes) ?? [])
  // A backend that is wrong in another field is known all the same: its routes shall not be told as well.
  return name === undefined
    ? undefined
    : {
        name,
        policy: policy ?? 'roundRobin',
        endpoints: withoutTwins(endpoints, notes),
        ...(slowStartMs === undefined || slowStartMs === 0 ? {} : { slowStartMs }),
        ...(healthCheck === undefined ? {} : { healthCheck }),
        ...spoken,
      }
}

function readHealthCheck(backend: MappingReader, notes: FileNotes): HealthCheck | undefined {
  const node = backend.node('healthCheck')
  const at = { field: backend.fieldOf('healthCheck'), names: CHECK_FIELDS }
  const reader = node && readerOf(node, at, notes)
  return reader && readCheck(reader)
}

function readSpoken(backend: MappingReader, { notes, pems }: Reading): Pick<FileBackend, 'protocol' | 'tls'> {
  const protocol = backend.parsed('protocol', 'http', parseProtocol)
  const node = backend.node('tls')
  const isByTls = protocol === 'https' || protocol === 'h2'
  if (node !== undefined && protocol !== undefined && !isByTls) backend.reject('tls', 'needs protocol HTTPS or GRPCS')
  const reader = node && readerOf(node, { field: backend.fieldOf('tls'), names: UPSTREAM_TLS_FIELDS }, notes)
  const tls = reader ? readUpstreamTls(reader, pems) : unverifiedTls()
  if (protocol === undefined || protocol === 'http') return {}
  return isByTls && tls !== undefined ? { protocol, tls } : { protocol }
}

function withoutTwins(entries: readonly EndpointEntry[], notes: FileNotes): FileBackend['endpoints'] {
  const fieldByAddress = new Map<string, string>()
  for (const { field, line, host, port } of entries) {
    const address = `${host} ${port}`
    const twin = fieldByAddress.get(address)
    if (twin !== undefined) notes.add(line, field, `is the same address as ${twin}`)
    fieldByAddress.set(address, field)
  }
  return entries.map(({ host, port, weight }) => ({ host, port, weight }))
}

function readRoute(
  { node, field }: { readonly node: YamlNode; readonly field: string },
  backends: ReadonlySet<string>,
  notes: FileNotes,
): FileRoute | undefined {
  const reader = readerOf(node, { field, names: ROUTE_FIELDS }, notes)
  if (reader === undefined) return undefined
  const host = reader.text('host')
  const path = reader.required('path')
  const pathType = reader.parsed('pathType', 'Prefix', parsePathType)
  const backend = reader.required('backend') === undefined ? undefined : readBackendName(reader, 'backend', backends)
  if (path === undefined || pathType === undefined || backend === undefined) return undefined
  return { host, path, pathType, backend }
}

function readBackendName(reader: MappingReader, name: string, backends: ReadonlySet<string>): string | undefined {
  const backend = reader.text(name)
  if (backend === undefined || backends.has(backend)) return backend
  const guess = nearest(backend, backends)
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`
  return reader.reject(name, `no backend of this file is named ${backend}${hint}`)
}

function parsePathType(text: string): Result<FileRoute['pathType'], string> {
  const type = PATH_TYPES.find((known) => known === text)
  return type === undefined ? err(`must be ${PATH_TYPES.join(', ')}`) : ok(type)
}

function readerOf(
  node: YamlNode,
  at: { readonly field: string; readonly names: FieldNames },
  notes: FileNotes,
): MappingReader | undefined {
  if (node.kind === 'mapping') return new MappingReader(notes, node, at)
  notes.add(node.line, at.field, `must have the fields ${at.names.known.join(', ')}`)
  return undefined
}
