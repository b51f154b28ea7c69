// Reads the PROXY header of a connection before its engine sees it (R20-160 to R20-163).
import type { Socket } from 'node:net'
import { plainAddress } from '../http/forwarded.ts'
import { buildCidrSet, type CidrSet } from '../lib/ip.ts'
import type { Timers } from '../lib/timers.ts'
import type { ProcessField } from '../model/counters.ts'
import type { ConnectionOrigin, WorkerCounters, WorkerLog } from './engine.ts'
import { FirstWarning } from './first-warning.ts'
import { HeaderWait } from './header-wait.ts'
import type { ProxyProtocolSettings } from './proxy-protocol-settings.ts'
import type { Connection } from './transport/transport.ts'

/** Why a connection was closed for its header, as the metric says it. */
export type ProxyFailure = 'missing' | 'malformed' | 'timeout' | 'peer'

export interface ProxyGateDeps {
  readonly settings: ProxyProtocolSettings
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly log: WorkerLog
  readonly timers: Timers
}

const FIELDS: Readonly<Record<ProxyFailure, ProcessField>> = {
  missing: 'proxyHeaderMissing',
  malformed: 'proxyHeaderMalformed',
  timeout: 'proxyHeaderTimeout',
  peer: 'proxyHeaderPeer',
}

/** Lets connections through that begin with a valid header of a peer that may send one, and closes all others. */
export class ProxyGate {
  readonly #deps: ProxyGateDeps
  /** `undefined`: everyone may. */
  readonly #senders: CidrSet | undefined
  readonly #closed: FirstWarning

  constructor(deps: ProxyGateDeps) {
    this.#deps = deps
    this.#closed = new FirstWarning(deps.log)
    this.#senders = deps.settings.from && buildCidrSet(deps.settings.from)
  }

  /** Hands `connection` on when its header is read, with what came behind it. */
  passConnection(
    connection: Connection,
    origin: ConnectionOrigin,
    pass: (connection: Connection, origin: ConnectionOrigin) => void,
  ): void {
    const peer = connection.peerAddress
    if (!this.#mayKnock(peer)) {
      connection.close()
      return
    }
    const wait = this.#wait(peer, () => connection.close())
    connection.events = {
      opened: () => undefined,
      drained: () => undefined,
      received(slab, length) {
        const read = wait.read(slab, length)
        if (!read) return
        pass(connection, { ...origin, proxied: read.proxied })
        if (read.rest.length > 0 && !connection.isClosed) connection.events.received(read.rest, read.rest.length)
      },
      ended: () => wait.ended(),
      closed: () => wait.ended(),
    }
  }

  /** The same for a socket. */
  passSocket(socket: Socket, origin: ConnectionOrigin, pass: (socket: Socket, origin: ConnectionOrigin) => void): void {
    // Before anything else: an error without a listener would end the process (R70-70). `close` tells the rest.
    socket.on('error', () => undefined)
    const peer = plainAddress(socket.remoteAddress ?? '')
    if (!this.#mayKnock(peer)) {
      socket.destroy()
      return
    }
    const wait = this.#wait(peer, () => socket.destroy())
    const ended = (): void => wait.ended()
    const read = (bytes: Buffer): void => {
      const header = wait.read(bytes, bytes.length)
      if (!header) return
      socket.off('data', read).off('end', ended).off('close', ended)
      socket.pause()
      if (header.rest.length > 0) socket.unshift(header.rest)
      pass(socket, { ...origin, proxied: header.proxied })
      socket.resume()
    }
    socket.on('data', read).on('end', ended).on('close', ended)
  }

  #mayKnock(peer: string): boolean {
    if (!this.#senders || this.#senders.contains(peer)) return true
    this.#failed('peer', peer)
    return false
  }

  #wait(peer: string, close: () => void): HeaderWait {
    const { timers, settings } = this.#deps
    return new HeaderWait(timers, settings.timeoutMs, (failure) => {
      this.#failed(failure, peer)
      close()
    })
  }

  #failed(reason: ProxyFailure, peer: string): void {
    this.#deps.counters.addProcess(FIELDS[reason], 1)
    this.#closed.tell({ reason, peer }, 'a connection was closed for its PROXY header')
  }
}
