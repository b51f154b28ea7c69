// The TLS side of one worker: whoever comes by a TLS listener passes through here to whoever serves it (R21-2).
import type { Socket } from 'node:net'
import { setImmediate } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { parseServerName } from '../../lib/host-name.ts'
import type { Timers } from '../../lib/timers.ts'
import { type CertificateTable, NO_CERTIFICATES, type ServerName } from '../../model/certificate-table.ts'
import { matchServerName } from '../../router/match-server-name.ts'
import { DateClock } from '../date-clock.ts'
import type { AddressSet, ConnectionOrigin, Engine, EngineDeps, ServedPair } from '../engine.ts'
import { DEFAULT_LIMITS, type EngineLimits } from '../engine-limits.ts'
import { answerBytes, ownAnswer } from '../own-answers.ts'
import type { TlsSettings } from '../secure-settings.ts'
import { Contexts } from './contexts.ts'
import { type Greeting, TlsGate } from './gate.ts'
import { sendLastBytes } from './last-bytes.ts'
import { Passthrough } from './passthrough.ts'
import { PolicyServers } from './policy-servers.ts'

export interface TlsFrontDeps {
  /** Those that the worker's engine was made with. */
  readonly engineDeps: EngineDeps
  readonly engine: Pick<Engine, 'accept'>
  /** Takes the sockets whose client chose HTTP/2; absent: ALPN offers HTTP/1.1 alone (R21-21). */
  readonly h2?: Pick<Engine, 'accept'> | undefined
  readonly settings: TlsSettings
  readonly timers: Timers
}

/** A fatal alert of TLS 1.2, `unrecognized_name`, as the one record that it is (RFC 8446, section 6). */
const UNRECOGNIZED_NAME = Buffer.from('15030300020270', 'hex')

export class TlsFront {
  readonly #deps: TlsFrontDeps
  readonly #limits: EngineLimits
  readonly #gate: TlsGate
  readonly #contexts: Contexts
  readonly #servers: PolicyServers
  readonly #passthrough: Passthrough

  constructor(deps: TlsFrontDeps) {
    const { engineDeps, settings, timers, h2 } = deps
    const { clock, counters } = engineDeps
    const limits = { ...DEFAULT_LIMITS, ...engineDeps.settings.limits }
    const dates = new DateClock(() => clock.wallMs())
    this.#deps = deps
    this.#limits = limits
    this.#contexts = new Contexts({ counters, monotonicMs: () => clock.monotonicMs(), nextTurn: setImmediate })
    this.#passthrough = new Passthrough({ engineDeps, limits, timers })
    this.#servers = new PolicyServers({
      contexts: this.#contexts,
      counters,
      settings,
      protocols: h2 ? ['h2', 'http/1.1'] : ['http/1.1'],
      secured: (socket, origin) => this.#serve(socket, origin),
    })
    this.#gate = new TlsGate({
      counters,
      timers,
      timeoutMs: settings.handshakeTimeoutMs,
      limits,
      greeted: (greeting) => this.#decide(greeting),
      plaintextAnswer: () =>
        answerBytes(ownAnswer('plaintext-to-tls'), { closes: true, clientMinorVersion: 1, date: dates.text() }),
    })
  }

  /** Takes a connection of a TLS listener of which nothing is read but a PROXY header. */
  pass(socket: Socket, origin: ConnectionOrigin): void {
    this.#gate.pass(socket, origin)
  }

  /** Whether `prepare` has nothing to do for `names`. */
  isPrepared(names: readonly ServerName[]): boolean {
    return !this.#contexts.lacks(names)
  }

  /** Makes what handshakes for `names` of `table` need, before it serves. The result says what cannot be made. */
  prepare(table: CertificateTable | undefined, names: readonly ServerName[]): Promise<string | undefined> {
    return this.#contexts.prepare(table ?? NO_CERTIFICATES, names)
  }

  /** Called in the step of the assignment: lets go of what `before` needed and `pair` does not. */
  pairAssigned(pair: ServedPair, before: ServedPair | undefined, served: AddressSet): void {
    this.#passthrough.pairAssigned(served)
    const names = namesOf(pair)
    if (names !== namesOf(before)) this.#contexts.retain(names.values())
  }

  /** Session tickets are made with these 48 bytes from now on (R21-24). */
  setTicketKeys(keys: Buffer): void {
    this.#servers.setTicketKeys(keys)
  }

  /** Passed connections. */
  get tunnels(): number {
    return this.#passthrough.tunnels
  }

  destroy(): void {
    this.#passthrough.destroy()
  }

  #decide({ socket, origin, hello, bytes }: Greeting): void {
    const table = this.#deps.engineDeps.current().routes.certificates ?? NO_CERTIFICATES
    const host = hello.serverName === undefined ? undefined : parseServerName(hello.serverName)
    const name = matchServerName(table.serverNames, host)
    if (name?.passthrough !== undefined) {
      this.#passthrough.relay({ socket, origin, hello: bytes, host, backend: name.passthrough })
    } else if (name && canServe(name)) {
      socket.unshift(bytes)
      this.#servers.terminate(socket, { origin, table, name, host, sentName: Boolean(hello.serverName) })
    } else this.#refuse(socket)
  }

  #refuse(socket: Socket): void {
    this.#deps.engineDeps.counters.addProcess('tlsNoCertificate', 1)
    sendLastBytes(socket, UNRECOGNIZED_NAME, this.#limits, this.#deps.timers)
  }

  #serve(socket: TLSSocket, origin: ConnectionOrigin): void {
    const { h2, engine } = this.#deps
    if (h2 && socket.alpnProtocol === 'h2') h2.accept(socket, origin)
    else engine.accept(socket, origin)
  }
}

/** Nobody asks for client certificates yet: a host that demands them must not be served without (R21-28). */
function canServe({ certificates, policy }: ServerName): boolean {
  return certificates.length > 0 && policy.client === undefined
}

function namesOf(pair: ServedPair | undefined): CertificateTable['serverNames'] {
  return (pair?.routes.certificates ?? NO_CERTIFICATES).serverNames
}
