// What the handshakes for a whole host are like (R11-111, R11-112).
import { parseCipherList } from '../lib/cipher-list.ts'
import { err } from '../lib/result.ts'
import type { AnnotationReader } from './annotation-reader.ts'
import { NGINX_PREFIX } from './registry.ts'
import { type Parser, readBool } from './values.ts'

/** What the keys say; an absent member is not set. */
export interface HandshakeSettings {
  /** The bytes go to the backend of `/` unread. */
  readonly passthrough: boolean | undefined
  readonly ciphers: string | undefined
  readonly preferServerCiphers: boolean | undefined
}

export const SSL_PASSTHROUGH: string = `${NGINX_PREFIX}ssl-passthrough`

export function readHandshakes(reader: AnnotationReader): HandshakeSettings {
  return {
    passthrough: reader.read(SSL_PASSTHROUGH, readBool),
    ciphers: reader.nginx('ssl-ciphers', readCiphers),
    preferServerCiphers: reader.nginx('ssl-prefer-server-ciphers', readBool),
  }
}

// OpenSSL holds certificates to such a level too: one that falls short has no context, and without it a worker would
// refuse the whole generation (R21-13, R30-10).
const readCiphers: Parser<string> = (text) =>
  text.includes('@SECLEVEL') ? err('sets a security level, to which certificates would be held') : parseCipherList(text)
