// One TLS server that never listens, for all names of one policy (R21-3).
import { constants } from 'node:crypto'
import type { Socket } from 'node:net'
import { createServer, type SecureContext, type Server, type TLSSocket, type TlsOptions } from 'node:tls'
import type { CertificateTable, ServerName, TlsPolicy } from '../../model/certificate-table.ts'
import type { TlsSettings } from '../secure-settings.ts'
import { contextKey, materialOf } from './contexts.ts'
import { KEY_GROUPS, suitesOf } from './suites.ts'

export interface PolicyServerOptions {
  readonly policy: TlsPolicy
  /** `digestOfPolicy` of it. */
  readonly digest: string
  readonly settings: TlsSettings
  /** What ALPN offers, the best first. */
  readonly protocols: readonly string[]
  /** `undefined`: none were handed in yet; tickets are then of no use to other workers. */
  readonly ticketKeys: Buffer | undefined
}

export interface PolicyServerEvents {
  /** The context of the handshake that is under way; `undefined`: the server's own. May throw. */
  readonly context: () => SecureContext | undefined
  readonly secured: (socket: TLSSocket) => void
  readonly failed: (error: Error) => void
  /** A context was made for the handshakes that name no host. */
  readonly built: () => void
}

/** Seconds for which a session can be resumed: OpenSSL's own of TLS 1.3. */
const SESSION_SECONDS = 7200
/** A server that asks for client certificates resumes nothing (R21-39). */
const NO_TICKET = constants.SSL_OP_NO_TICKET
const NO_RENEGOTIATION = constants.SSL_OP_NO_RENEGOTIATION | constants.SSL_OP_NO_COMPRESSION

export class PolicyServer {
  readonly #server: Server
  readonly #options: TlsOptions
  readonly #resumes: boolean
  readonly #events: PolicyServerEvents
  /** What the server's own context was made of. */
  #default = ''

  constructor(options: PolicyServerOptions, events: PolicyServerEvents) {
    this.#events = events
    this.#resumes = options.policy.client === undefined
    this.#options = tlsOptions(options, this.#resumes)
    this.#server = createServer({ ...this.#options, SNICallback: (_name, done) => this.#choose(done) })
    // Nothing listens here, but an error without a listener would end the process (R70-70).
    this.#server.on('error', (error) => events.failed(error))
    this.#server.on('tlsClientError', (error, socket) => {
      events.failed(error)
      socket.destroy()
    })
    this.#server.on('secureConnection', (socket) => events.secured(socket))
  }

  /** Begins a handshake with what `socket` will give first; `secured` or `failed` follows. */
  begin(socket: Socket): void {
    this.#server.emit('connection', socket)
  }

  /**
   * From now on handshakes for which no other context is chosen get the certificates of `name`; for those that name no
   * host OpenSSL asks nobody.
   */
  useByDefault(table: CertificateTable, name: ServerName): void {
    const key = contextKey(name)
    if (key === this.#default) return
    this.#server.setSecureContext({ ...this.#options, ...materialOf(table, name) })
    this.#default = key
    this.#events.built()
  }

  /** Tickets are made with these keys from now on; those made with others are good for a full handshake. */
  setTicketKeys(keys: Buffer): void {
    if (!this.#resumes) return
    this.#options.ticketKeys = keys
    this.#server.setTicketKeys(keys)
  }

  #choose(done: (error: Error | null, context?: SecureContext) => void): void {
    let context: SecureContext | undefined
    try {
      context = this.#events.context()
    } catch (thrown) {
      done(thrown instanceof Error ? thrown : new TypeError(String(thrown)))
      return
    }
    done(null, context)
  }
}

function tlsOptions(options: PolicyServerOptions, resumes: boolean): TlsOptions {
  const { policy, digest, settings, protocols, ticketKeys } = options
  return {
    minVersion: settings.minVersion === '1.3' ? 'TLSv1.3' : 'TLSv1.2',
    ciphers: suitesOf(policy.ciphers),
    honorCipherOrder: policy.preferServerCiphers !== false,
    ecdhCurve: KEY_GROUPS,
    secureOptions: NO_RENEGOTIATION | (resumes ? 0 : NO_TICKET),
    sessionIdContext: digest,
    sessionTimeout: SESSION_SECONDS,
    handshakeTimeout: settings.handshakeTimeoutMs,
    ALPNProtocols: [...protocols],
    ca: [],
    ...(resumes && ticketKeys ? { ticketKeys } : {}),
  }
}
