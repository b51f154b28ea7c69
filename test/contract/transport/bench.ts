import { createServer, type Server } from 'node:net'
import type { Transport } from '../../../src/dataplane/transport/transport.ts'
import { eventually } from '../../fakes/clock.ts'
import { listening } from '../../fakes/listening.ts'
import { openClient } from '../../fakes/raw-client.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'

/** More than the kernel takes for a peer that does not read. */
export const MUCH = 24 * 1024 * 1024

/** The bench of the case that runs. */
export type BenchNow = () => TransportBench

/** A server whose connections a transport takes, and everything that a test opened. */
export class TransportBench {
  readonly transport: Transport
  readonly port: number
  readonly server: Server
  readonly accepted: RecordedConnection[] = []
  readonly clients: RecordedSocket[] = []
  released = 0

  private constructor(transport: Transport, server: Server, port: number) {
    this.transport = transport
    this.server = server
    this.port = port
    transport.attach(
      server,
      (connection) => this.accepted.push(new RecordedConnection().own(connection)),
      () => {
        this.released += 1
      },
    )
  }

  static async start(transport: Transport): Promise<TransportBench> {
    const server = createServer()
    return new TransportBench(transport, server, await listening(server))
  }

  /** A plain client, and its connection as the transport gave it. */
  async pair(): Promise<{ readonly client: RecordedSocket; readonly served: RecordedConnection }> {
    const at = this.accepted.length
    const client = await openClient(this.port)
    this.clients.push(client)
    await eventually(() => this.accepted.length > at)
    const served = this.accepted[at]
    if (!served) throw new Error('nothing was accepted')
    return { client, served }
  }

  /** Both ends of one connection are the transport's. */
  async ownPair(): Promise<{ readonly caller: RecordedConnection; readonly served: RecordedConnection }> {
    const at = this.accepted.length
    const caller = this.connect({ host: '127.0.0.1', port: this.port })
    await caller.untilTold('opened')
    await eventually(() => this.accepted.length > at)
    const served = this.accepted[at]
    if (!served) throw new Error('nothing was accepted')
    return { caller, served }
  }

  connect(target: { readonly host: string; readonly port: number }): RecordedConnection {
    const caller = new RecordedConnection()
    return caller.own(this.transport.connect(target, caller))
  }

  /** Turns of the event loop in which the kernel surely carried bytes: so many round trips of another connection. */
  async meanwhile(trips = 50): Promise<void> {
    const { client, served } = await this.pair()
    served.on.received = () => served.send('.')
    for (let trip = 1; trip <= trips; trip += 1) {
      client.write('.')
      await client.untilLength(trip)
    }
    served.call((connection) => connection.close())
    await served.untilTold('closed')
    this.accepted.splice(this.accepted.indexOf(served), 1)
  }

  async stop(): Promise<void> {
    for (const { connection } of this.accepted) connection.close()
    for (const { socket } of this.clients) socket.destroy()
    await new Promise((resolve) => {
      this.server.close(resolve)
    })
  }
}

/** Bytes of which no two stretches are alike, so that an order that is wrong shows. */
export function pattern(bytes: number, seed = 1): Buffer {
  const buffer = Buffer.allocUnsafe(bytes - (bytes % 4))
  for (let at = 0; at < buffer.length; at += 4) buffer.writeInt32LE(Math.imul(at + seed, 0x9e3779b1) | 0, at)
  return buffer
}
