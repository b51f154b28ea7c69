// Where an exchange ends and its connection begins.
import type { Peer } from '../../../http/forwarded.ts'
import type { Connection } from '../../transport/transport.ts'
import type { HostMemory } from './host-memory.ts'
import type { Intake } from './intake.ts'

/** What an exchange is told of the connection it runs on, and tells it. */
export interface ExchangeHost {
  readonly connection: Connection
  /** Whether it is one stream of a connection that is kept elsewhere. */
  readonly isStream: boolean
  readonly peer: Peer
  /** The port that clients dial. */
  readonly port: number
  /** What they speak, whatever somebody in between says. */
  readonly scheme: 'http' | 'https'
  readonly memory: HostMemory
  /** What of it was not taken yet. While a read is being taken apart, what goes on goes out at its end. */
  readonly intake: Intake
  /** Whether its peer has sent FIN. */
  readonly hasEnded: boolean
  /** Whether the connection ends with the answer that is about to be written, by what is known there. */
  mustClose(): boolean
  /** The response is out and the request is read; `isLast`: the client was told that nothing follows. */
  exchangeEnded(isLast: boolean): void
  /** The exchange takes bytes of its body again, where it held back the client's intake. */
  readOn(): void
  /** Gives up the socket to a tunnel; what came early goes to `take` first. */
  becomeTunnel(take: (bytes: Buffer, from: number, to: number) => void): void
  /** So many bytes wait in buffers of the exchange now. */
  buffers(bytes: number): void
  /** Ends the connection behind what was written. */
  close(): void
}
