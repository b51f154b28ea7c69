// What is spoken to a Service port, and what its TLS is like (R11-29, R11-37, R11-119 to R11-124).
import { parseCipherList } from '../lib/cipher-list.ts'
import { parseRuleHost } from '../lib/host-name.ts'
import { err, ok } from '../lib/result.ts'
import type { BackendProtocol, TlsVersion } from '../model/upstream-tls.ts'
import type { AnnotationReader } from './annotation-reader.ts'
import { NGINX_PREFIX } from './registry.ts'
import { integer, listOf, objectName, oneOf, type Parser, shown } from './values.ts'

/** What the keys say; an absent member is not set. */
export interface UpstreamSettings {
  /** `http`: HTTP/1.1 in plaintext was asked for. */
  readonly protocol: BackendProtocol | 'http' | undefined
  readonly tls: ProxySslSettings
}

export interface ProxySslSettings {
  /** Name of a Secret in the namespace of the Service. */
  readonly secret: string | undefined
  readonly verify: boolean | undefined
  readonly name: string | undefined
  readonly sendsServerName: boolean | undefined
  readonly maxDepth: number | undefined
  readonly versions: readonly TlsVersion[] | undefined
  readonly ciphers: string | undefined
}

export const BACKEND_PROTOCOL: string = `${NGINX_PREFIX}backend-protocol`
export const PROXY_SSL_SECRET: string = `${NGINX_PREFIX}proxy-ssl-secret`
export const PROXY_SSL_VERIFY: string = `${NGINX_PREFIX}proxy-ssl-verify`

const WORDS = ['HTTP', 'HTTPS', 'GRPC', 'GRPCS', 'AUTO_HTTP', 'FCGI'] as const
/** Of certificates above the leaf. */
const MAX_DEPTH = 20
const VERSIONS: ReadonlyMap<string, TlsVersion> = new Map([
  ['TLSv1.2', '1.2'],
  ['TLSv1.3', '1.3'],
])

/** `namespace`: that of the object, and of the Services that it can name. */
export function readUpstreamSettings(reader: AnnotationReader, namespace: string): UpstreamSettings {
  return {
    protocol: readProtocol(reader),
    tls: {
      secret: reader.read(PROXY_SSL_SECRET, objectName(namespace)),
      verify: isOn(reader.read(PROXY_SSL_VERIFY, oneOf(['on', 'off']))),
      name: reader.nginx('proxy-ssl-name', readExactHost),
      sendsServerName: isOn(reader.nginx('proxy-ssl-server-name', oneOf(['on', 'off']))),
      maxDepth: reader.nginx('proxy-ssl-verify-depth', integer({ min: 0, max: MAX_DEPTH })),
      versions: reader.nginx('proxy-ssl-protocols', readVersions),
      ciphers: reader.nginx('proxy-ssl-ciphers', parseCipherList),
    },
  }
}

/** The protocol of a value of `backend-protocol`; `undefined`: it has none of the words. */
export function protocolOf(text: string): BackendProtocol | 'http' | undefined {
  const word = oneOf(WORDS)(text)
  return word.ok ? spokenFor(word.value) : undefined
}

function readProtocol(reader: AnnotationReader): UpstreamSettings['protocol'] {
  const word = reader.read(BACKEND_PROTOCOL, oneOf(WORDS))
  if (word === 'AUTO_HTTP' || word === 'FCGI') {
    const found = `${BACKEND_PROTOCOL} is ${shown(word)}, which Ramjet does not speak`
    reader.note({ reason: 'UnsupportedBackendProtocol', key: BACKEND_PROTOCOL, found, effect: 'HTTP is spoken' })
  }
  return word && spokenFor(word)
}

function spokenFor(word: (typeof WORDS)[number]): BackendProtocol | 'http' {
  switch (word) {
    case 'HTTP':
    case 'AUTO_HTTP':
    case 'FCGI':
      return 'http'
    case 'HTTPS':
      return 'https'
    case 'GRPC':
      return 'h2c'
    case 'GRPCS':
      return 'h2'
  }
}

function isOn(word: 'on' | 'off' | undefined): boolean | undefined {
  return word === undefined ? undefined : word === 'on'
}

const readExactHost: Parser<string> = (text) => {
  const host = parseRuleHost(text)
  if (!host.ok) return host
  return host.value.startsWith('*') ? err('is a wildcard, and one name is verified') : host
}

const readVersions: Parser<readonly TlsVersion[]> = listOf((word) => {
  const version = VERSIONS.get(word)
  return version === undefined ? err(`is none of ${[...VERSIONS.keys()].join(', ')}`) : ok(version)
})
