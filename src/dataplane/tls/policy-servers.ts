// The TLS servers of one worker, by policy, and the handshakes on them.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Socket } from 'node:net'
import type { SecureContext, TLSSocket } from 'node:tls'
import {
  type CertificateTable,
  digestOfPolicy,
  type ServerName,
  type TlsPolicy,
} from '../../model/certificate-table.ts'
import type { ConnectionOrigin, WorkerCounters } from '../engine.ts'
import type { TlsSettings } from '../secure-settings.ts'
import { type Contexts, contextKey } from './contexts.ts'
import { ContextChoiceError, failureField } from './failures.ts'
import { PolicyServer } from './policy-server.ts'

/** A client whose ClientHello was read, and what it gets. */
export interface Arrival {
  readonly origin: ConnectionOrigin
  readonly table: CertificateTable
  readonly name: ServerName
  /** The host that it asked for, in the one form. */
  readonly host: string | undefined
  /** Whether it sent a name at all, be that a host or not. */
  readonly sentName: boolean
}

/**
 * What is kept for as long as the connection lives, and in whatever it begins: emptied when the handshake is done, so that
 * a long connection does not keep the table that it began with.
 */
interface Handshake {
  arrival: Arrival | undefined
}

export interface PolicyServersDeps {
  readonly contexts: Contexts
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly settings: TlsSettings
  readonly protocols: readonly string[]
  /** The handshake is done; whoever takes the socket owns it. */
  readonly secured: (socket: TLSSocket, origin: ConnectionOrigin) => void
}

/**
 * Policies are annotations' to make: servers that were not used for longest make room. One with two certificates takes
 * 47 KiB and 1.3 ms, which each handshake would cost where more hosts are busy.
 */
const MAX_SERVERS = 1024

export class PolicyServers {
  readonly #deps: PolicyServersDeps
  /** By `digestOfPolicy`, the one that was used last at the end; a name with two certificates has one of its own. */
  readonly #servers = new Map<string, PolicyServer>()
  /** Leads from what a TLS server tells back to the connection it tells it of. */
  readonly #handshakes = new AsyncLocalStorage<Handshake>()
  readonly #digests = new WeakMap<TlsPolicy, string>()
  #ticketKeys: Buffer | undefined

  constructor(deps: PolicyServersDeps) {
    this.#deps = deps
  }

  get size(): number {
    return this.#servers.size
  }

  /** Terminates TLS on a socket that is paused and has its ClientHello to give again. */
  terminate(socket: Socket, arrival: Arrival): void {
    const digest = this.#digestOf(arrival.name.policy)
    const secure = { serverName: arrival.host, policyDigest: digest }
    const begun = { ...arrival, origin: { ...arrival.origin, secure } }
    try {
      const server = this.#serverOf(digest, arrival)
      if (!arrival.sentName || hasTwo(arrival.name)) server.useByDefault(arrival.table, arrival.name)
      // Until the handshake is done the client's FIN is its end: nothing can follow.
      socket.allowHalfOpen = false
      this.#handshakes.run({ arrival: begun }, () => server.begin(socket))
    } catch {
      this.#deps.counters.addProcess('tlsCallback', 1)
      socket.destroy()
    }
  }

  /** Every server makes tickets with `keys` from now on (R21-24). */
  setTicketKeys(keys: Buffer): void {
    this.#ticketKeys = keys
    for (const server of this.#servers.values()) server.setTicketKeys(keys)
  }

  #digestOf(policy: TlsPolicy): string {
    const known = this.#digests.get(policy)
    if (known !== undefined) return known
    const digest = digestOfPolicy(policy)
    this.#digests.set(policy, digest)
    return digest
  }

  #serverOf(digest: string, { name }: Arrival): PolicyServer {
    const key = hasTwo(name) ? `${digest} ${contextKey(name)}` : digest
    const known = this.#servers.get(key)
    if (known && this.#servers.size === 1) return known
    const server = known ?? this.#create(digest, name)
    this.#servers.delete(key)
    this.#servers.set(key, server)
    const [oldest] = this.#servers.keys()
    if (this.#servers.size > MAX_SERVERS && oldest !== undefined) this.#servers.delete(oldest)
    return server
  }

  #create(digest: string, { policy }: ServerName): PolicyServer {
    const { counters, settings, protocols } = this.#deps
    return new PolicyServer(
      { policy, digest, settings, protocols, ticketKeys: this.#ticketKeys },
      {
        context: () => this.#contextOf(this.#handshakes.getStore()?.arrival),
        secured: (socket) => this.#secured(socket, this.#handshakes.getStore()),
        failed: (error) => counters.addProcess(failureField(error), 1),
        built: () => counters.addProcess('tlsContextsBuilt', 1),
      },
    )
  }

  #contextOf(arrival: Arrival | undefined): SecureContext | undefined {
    try {
      if (!arrival) throw new TypeError('a handshake that nobody began')
      if (hasTwo(arrival.name)) return undefined
      return this.#deps.contexts.of(arrival.table, arrival.name)
    } catch (thrown) {
      throw new ContextChoiceError('no certificate', { cause: thrown })
    }
  }

  #secured(socket: TLSSocket, handshake: Handshake | undefined): void {
    const arrival = handshake?.arrival
    // Before anything else: an error without a listener would end the process (R70-70).
    socket.on('error', () => undefined)
    socket.allowHalfOpen = true
    if (!arrival) {
      socket.destroy()
      return
    }
    if (handshake) handshake.arrival = undefined
    this.#deps.counters.addProcess('tlsHandshakes', 1)
    this.#deps.secured(socket, arrival.origin)
  }
}

/**
 * Of the context that an SNICallback gives, Node takes one certificate, whatever else is in it. So certificates of two key
 * types stand in a server's own context, where OpenSSL chooses (R21-12).
 */
function hasTwo({ certificates }: ServerName): boolean {
  return certificates.length > 1
}
