// Where an exchange ends and its connection begins.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from '../../../http/forwarded.ts'
import type { MisdirectionCheck } from '../../misdirection-check.ts'
import type { HostMemory } from '../../route-reader.ts'

/** What an exchange is told of the connection it runs on, and tells it. */
export interface ExchangeHost {
  readonly peer: Peer
  /** Whether it is one stream of a connection that is kept elsewhere. */
  readonly isStream: boolean
  /** The port that clients dial. */
  readonly port: number
  /** What they speak, whatever somebody in between says. */
  readonly scheme: 'http' | 'https'
  readonly memory: HostMemory
  /** Of a TLS connection: whether a host may be asked for on it. */
  readonly misdirection: MisdirectionCheck | undefined
  /** Whether the connection ends with the answer, by what the connection knows. */
  mustClose(): boolean
  /** The response is out and the request is read; `isLast`: the client was told that nothing follows. */
  exchangeEnded(isLast: boolean): void
  /** So many bytes wait in buffers of the exchange now. */
  buffers(bytes: number): void
  /** Ends the connection behind what was written. */
  close(): void
  /** Cuts the connection: what was begun cannot be ended truthfully (R20-73). */
  cut(): void
}

/** The upgrade that a request asks for: what the exchange does not do itself. */
export interface UpgradeOffer {
  /** Bytes that came behind the request, before it was answered. */
  readonly heldBytes: number
  /** Takes over both sockets. */
  accept(response: IncomingMessage, upstream: Socket, early: Buffer, use: TunnelUse): void
}

export interface TunnelUse {
  /** 0: none. */
  readonly idleTimeoutMs: number
  /** The exchange ends when the tunnel does. */
  ended(): void
}

export interface ExchangeMessage {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly expectsContinue: boolean
  /** `undefined`: it goes on as a plain request, whatever its fields say. */
  readonly upgrade: UpgradeOffer | undefined
}
