// How the connections to a backend are secured, and what is spoken on them.
import { type Canonical, canonicalJson } from '../lib/canonical.ts'
import { digestOf } from '../lib/digest.ts'

/**
 * What is spoken to a backend; absent where it is HTTP/1.1 in plaintext. `https`: HTTP/1.1 over TLS. `h2c`: HTTP/2 in
 * plaintext, by prior knowledge. `h2`: HTTP/2 over TLS (R22-16).
 */
export type BackendProtocol = 'https' | 'h2c' | 'h2'

/** Whether this is spoken to a backend that has it as `protocol`. */
export function speaksHttp2(backend: { readonly protocol?: BackendProtocol } | undefined): boolean {
  const protocol = backend?.protocol
  return protocol === 'h2c' || protocol === 'h2'
}

/** A certificate that we show to an upstream, with its key. */
export interface ClientPair {
  /** PEM, the leaf first. */
  readonly chain: string
  /** PEM. Never printed, logged or shown. */
  readonly key: string
}

/** The identity by which TLS towards a backend is spoken: no connection is shared between two of them (R21-33). */
export interface UpstreamTls {
  /** Whether chain and name must be right; where not, the connection is private and nothing more (R21-31). */
  readonly verify: boolean
  /** The name that is verified, and sent where `sendsServerName`; where it is absent neither can be done. */
  readonly serverName?: string
  readonly sendsServerName: boolean
  /** Bundle of authorities, PEM; absent: those of the runtime. */
  readonly authorities?: string
  readonly clientPair?: ClientPair
  /** Certificates that a chain may have between the leaf and an authority, as OpenSSL counts its depth (R21-39). */
  readonly maxDepth: number
  /** Absent: 1.2. */
  readonly minVersion?: TlsVersion
  /** Absent: 1.3. */
  readonly maxVersion?: TlsVersion
  /** As OpenSSL lists them; absent: the runtime's. */
  readonly ciphers?: string
  /** Over all of it: what pools are kept apart by. */
  readonly digest: string
}

export type TlsVersion = '1.2' | '1.3'

/** `UpstreamTls.digest` of what is left of it without; of the key it holds no more than a hash does. */
export function digestOfUpstreamTls({ clientPair, ...rest }: Omit<UpstreamTls, 'digest'>): string {
  const pair: Canonical = clientPair ? [clientPair.chain, clientPair.key] : null
  return digestOf(canonicalJson({ ...rest, clientPair: pair }))
}

/** The same identity with its digest. */
export function withDigest(tls: Omit<UpstreamTls, 'digest'>): UpstreamTls {
  return { ...tls, digest: digestOfUpstreamTls(tls) }
}

/** As `backend-protocol` and a routes file write it. */
export type ProtocolWord = 'HTTP' | 'HTTPS' | 'GRPC' | 'GRPCS'

/** The word for what is spoken. */
export function protocolWord(protocol: BackendProtocol | undefined): ProtocolWord {
  switch (protocol) {
    case undefined:
      return 'HTTP'
    case 'https':
      return 'HTTPS'
    case 'h2c':
      return 'GRPC'
    case 'h2':
      return 'GRPCS'
  }
}
