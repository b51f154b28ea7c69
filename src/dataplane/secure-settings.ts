// What the flags say about TLS and HTTP/2 that a worker must know.

/** What every handshake is held to. */
export interface TlsSettings {
  readonly minVersion: '1.2' | '1.3'
  /** For the ClientHello, and for the handshake after it (R20-75). */
  readonly handshakeTimeoutMs: number
}

/** Limits of the HTTP/2 connections of clients (R20-98 to R20-106). */
export interface Http2Settings {
  readonly maxStreams: number
  readonly maxHeaders: number
  /** In 10 s. */
  readonly maxResets: number
  /** Each of PING and SETTINGS, in 10 s. */
  readonly maxControlFrames: number
  /** Without progress of a live stream, in 10 s. */
  readonly floodBytes: number
  /** 0: none. */
  readonly maxAgeMs: number
}

/** The defaults of the flags. */
export const DEFAULT_TLS: TlsSettings = { minVersion: '1.2', handshakeTimeoutMs: 10_000 }
