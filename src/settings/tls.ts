// What the flags say about TLS and HTTP/2, for both planes.
import { DNS_LABEL, DNS_NAME } from '../lib/dns-name.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { FlagReader } from './flag-reader.ts'

/** Which certificates and keys there are: of the control plane. */
export interface CertificateFlags {
  /** `undefined`: none was named. */
  readonly defaultTlsSecret: SecretName | undefined
  readonly selfSignedDefault: boolean
  /** `undefined`: the keys of session tickets are made here. */
  readonly ticketKeySecret: SecretName | undefined
  readonly certificateGraceMs: number
}

/** A Secret by `NAMESPACE/NAME`. */
export interface SecretName {
  readonly namespace: string
  readonly name: string
}

/** What every handshake is held to. */
export interface TlsFlags {
  readonly minVersion: '1.2' | '1.3'
  readonly handshakeTimeoutMs: number
}

/** Limits of HTTP/2 connections of clients. */
export interface Http2Flags {
  readonly maxStreams: number
  readonly maxHeaders: number
  /** In 10 s. */
  readonly maxResets: number
  /** Each of PING and SETTINGS, in 10 s. */
  readonly maxControlFrames: number
  /** Without progress, in 10 s. */
  readonly floodBytes: number
  /** 0: none. */
  readonly maxAgeMs: number
}

/** Of the flags of certificates; faults are left in `reader`. */
export function certificatesFrom(reader: FlagReader): CertificateFlags {
  return {
    defaultTlsSecret: reader.textIfGiven('--default-tls-secret', parseSecretName),
    selfSignedDefault: reader.boolean('--self-signed-default'),
    ticketKeySecret: reader.textIfGiven('--ticket-key-secret', parseSecretName),
    certificateGraceMs: reader.durationMs('--certificate-grace'),
  }
}

/** Of the flags of handshakes. */
export function tlsFrom(reader: FlagReader): TlsFlags {
  return {
    minVersion: reader.choice('--tls-min-version', ['1.2', '1.3']),
    handshakeTimeoutMs: reader.durationMs('--tls-handshake-timeout'),
  }
}

/** Of the flags of HTTP/2; `undefined` where it is not offered. */
export function http2From(reader: FlagReader): Http2Flags | undefined {
  const flags = {
    maxStreams: reader.integer('--h2-max-streams'),
    maxHeaders: reader.integer('--h2-max-headers'),
    maxResets: reader.integer('--h2-max-resets'),
    maxControlFrames: reader.integer('--h2-max-control-frames'),
    floodBytes: reader.size('--h2-flood-bytes'),
    maxAgeMs: reader.durationMs('--h2-max-age'),
  }
  // Read even where nothing is offered, so that their faults are found.
  return reader.boolean('--no-h2') ? undefined : flags
}

function parseSecretName(text: string): Result<SecretName, string> {
  const [namespace = '', name = '', ...rest] = text.split('/')
  const isValid = DNS_LABEL.test(namespace) && DNS_NAME.test(name) && rest.length === 0
  return isValid ? ok({ namespace, name }) : err('NAMESPACE/NAME of a Secret')
}
