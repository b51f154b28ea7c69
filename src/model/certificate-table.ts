// The certificate table: which certificate a TLS handshake gets, and by which policy. Part of a generation (R21-19).
import { digestOf } from '../lib/digest.ts'

/** A chain with its key: content alone, so that equal content is one certificate whatever its Secret is called. */
export interface Certificate {
  /** The identity: hash of chain and key, 32 hex digits (R21-16). */
  readonly handle: string
  /** PEM, the leaf first. */
  readonly chain: string
  /** PEM. Never printed, logged or shown. */
  readonly key: string
  /** The hosts that it is good for, in their one form. */
  readonly names: readonly string[]
  /** Milliseconds since 1970. */
  readonly notBeforeMs: number
  readonly notAfterMs: number
  readonly keyType: 'rsa' | 'ec' | 'other'
  /** The handle: what the element's digest is. */
  readonly digest: string
}

/** What a handshake for a name is held to besides its certificate; hosts of one policy share a server (R21-3). */
export interface TlsPolicy {
  /** TLS 1.2 suites as OpenSSL lists them; absent: those of the process. */
  readonly ciphers?: string
  readonly preferServerCiphers?: boolean
  readonly client?: ClientCertificatePolicy
}

export interface ClientCertificatePolicy {
  /** Bundle of authorities, PEM. */
  readonly authorities: string
  readonly mode: 'on' | 'optional' | 'optional_no_ca'
  readonly maxDepth: number
}

/** A name that clients ask for, and what they get. */
export interface ServerName {
  /** Exact or a wildcard of one label, in the one form; `DEFAULT_SERVER_NAME` for all others. */
  readonly host: string
  /** Handles, at most one of each key type. Empty with `passthrough`, and where nothing can serve: then it is refused. */
  readonly certificates: readonly string[]
  readonly policy: TlsPolicy
  /** Name of the backend that gets the bytes unread; absent: the handshake is ours. */
  readonly passthrough?: string
  readonly digest: string
}

/** Stands for every name that is not listed, and for none; no host can spell it. */
export const DEFAULT_SERVER_NAME = ''

export interface CertificateTable {
  /** By handle; each one that a server name names, and no other. */
  readonly certificates: ReadonlyMap<string, Certificate>
  /** By `ServerName.host`. */
  readonly serverNames: ReadonlyMap<string, ServerName>
}

/** No name has a certificate. */
export const NO_CERTIFICATES: CertificateTable = { certificates: new Map(), serverNames: new Map() }

/** The key of a certificate among the elements of the configuration. */
export function certificateKey(handle: string): string {
  return `certificate ${handle}`
}

/** The key of a server name among the elements of the configuration. */
export function serverNameKey(host: string): string {
  return `server name ${host}`
}

/** `ServerName.digest` of what is left of it without. */
export function digestOfServerName({ host, certificates, policy, passthrough }: Omit<ServerName, 'digest'>): string {
  return digestOf(JSON.stringify([host, certificates, ...partsOf(policy), passthrough ?? null]))
}

/** The identity of a policy: equal ones are held to by one server, and resume each other's sessions (R21-26). */
export function digestOfPolicy(policy: TlsPolicy): string {
  return digestOf(JSON.stringify(partsOf(policy)))
}

function partsOf({ ciphers, preferServerCiphers, client }: TlsPolicy): readonly unknown[] {
  const clients = client ? [client.authorities, client.mode, client.maxDepth] : null
  return [ciphers ?? null, preferServerCiphers ?? null, clients]
}

/** `Certificate.handle` of a chain and its key. */
export function handleOf(chain: string, key: string): string {
  return digestOf(JSON.stringify([chain, key]))
}
