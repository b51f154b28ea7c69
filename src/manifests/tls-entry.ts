// The TLS of a file of routes: certificates for hosts, and how backends are dialled (R21-36).
import type { FileTls } from '../compiler/snapshot.ts'
import { parseRuleHost } from '../lib/host-name.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { countAuthorities, readKeyPair } from '../lib/x509.ts'
import { readCertificate } from '../model/read-certificate.ts'
import { type BackendProtocol, protocolWord, type UpstreamTls, withDigest } from '../model/upstream-tls.ts'
import type { FieldNames, MappingReader } from './mapping-reader.ts'
import type { PemFiles } from './pem-files.ts'

/** The fields of one certificate. */
export const TLS_FIELDS: FieldNames = { known: ['host', 'cert', 'key'], later: [] }
/** The fields of a backend's `tls`. */
export const UPSTREAM_TLS_FIELDS: FieldNames = { known: ['verify', 'serverName', 'ca', 'cert', 'key'], later: [] }

/** Stands for every name that no other entry has, as no host does. */
const EVERY_HOST = '*'
/** Nothing in a file says how long a chain may be: as long as an annotation may allow. */
const MAX_DEPTH = 20
const PROTOCOLS: readonly (BackendProtocol | undefined)[] = [undefined, 'https', 'h2c', 'h2']

/** What is spoken, by the words of `backend-protocol`. */
export function parseProtocol(text: string): Result<BackendProtocol | 'http', string> {
  const found = PROTOCOLS.find((protocol) => protocolWord(protocol) === text.toUpperCase())
  if (found !== undefined || text.toUpperCase() === protocolWord(undefined)) return ok(found ?? 'http')
  return err(`must be ${PROTOCOLS.map(protocolWord).join(', ')}`)
}

/** A certificate with the host that it is for; `undefined`: told. */
export function readTlsEntry(reader: MappingReader, pems: PemFiles): FileTls | undefined {
  const host = reader.parsed('host', EVERY_HOST, parseHost)
  const chain = readPem(reader, 'cert', pems)
  const key = readPem(reader, 'key', pems)
  if (host === undefined || chain === undefined || key === undefined) return undefined
  const certificate = readCertificate(chain, key)
  if (certificate.ok) return { host: host === EVERY_HOST ? undefined : host, certificate: certificate.value }
  const named = host === EVERY_HOST ? 'the default certificate' : `the certificate of ${host}`
  return reader.reject('cert', `${named}, ${reader.text('cert')} with ${reader.text('key')}, ${certificate.error}`)
}

/** How a backend is dialled by TLS where nothing is said of it. */
export function unverifiedTls(): UpstreamTls {
  return withDigest({ verify: false, sendsServerName: false, maxDepth: MAX_DEPTH })
}

/** How a backend is dialled by TLS; `undefined`: told. */
export function readUpstreamTls(reader: MappingReader, pems: PemFiles): UpstreamTls | undefined {
  const verify = reader.flag('verify', false)
  const serverName = reader.parsed('serverName', undefined, parseServerName)
  if (verify === true && reader.node('serverName') === undefined) {
    reader.reject('serverName', 'is missing: without it nobody knows which name to verify')
  }
  const authorities = readAuthorities(reader, pems)
  const clientPair = readClientPair(reader, pems)
  if (verify === undefined) return undefined
  const optional = {
    ...(serverName === undefined ? {} : { serverName }),
    ...(authorities === undefined ? {} : { authorities }),
    ...(clientPair === undefined ? {} : { clientPair }),
  }
  return withDigest({ verify, sendsServerName: serverName !== undefined, maxDepth: MAX_DEPTH, ...optional })
}

function readAuthorities(reader: MappingReader, pems: PemFiles): string | undefined {
  if (reader.node('ca') === undefined) return undefined
  const bundle = readPem(reader, 'ca', pems)
  const count = bundle === undefined ? undefined : countAuthorities(bundle)
  return count?.ok === false ? reader.reject('ca', `${reader.text('ca')} ${count.error}`) : bundle
}

function readClientPair(reader: MappingReader, pems: PemFiles): UpstreamTls['clientPair'] {
  if (reader.node('cert') === undefined && reader.node('key') === undefined) return undefined
  const [chain, key] = [readPem(reader, 'cert', pems), readPem(reader, 'key', pems)]
  if (chain === undefined || key === undefined) return undefined
  const facts = readKeyPair(chain, key)
  if (facts.ok) return { chain, key }
  return reader.reject('cert', `${reader.text('cert')} with ${reader.text('key')} ${facts.error}`)
}

function readPem(reader: MappingReader, field: string, pems: PemFiles): string | undefined {
  const path = reader.required(field)
  if (path === undefined) return undefined
  const text = pems.get(path) ?? err('was not read')
  return text.ok ? text.value : reader.reject(field, `${path} ${text.error}`)
}

function parseHost(text: string): Result<string, string> {
  if (text === EVERY_HOST) return ok(text)
  const host = parseRuleHost(text)
  return host.ok ? host : err(`${text} ${host.error}`)
}

function parseServerName(text: string): Result<string, string> {
  const host = parseHost(text)
  return host.ok && host.value.startsWith('*') ? err('must be one name') : host
}
