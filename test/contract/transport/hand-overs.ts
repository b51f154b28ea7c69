import { performServerHandshake } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { eventually } from '../../fakes/clock.ts'
import { listening } from '../../fakes/listening.ts'
import { openClient } from '../../fakes/raw-client.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'
import type { BenchNow } from './bench.ts'

// RFC 9113, sections 3.4 and 6.5, as one character a byte.
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY_SETTINGS = '\0\0\0\x04\0\0\0\0\0'
const SETTINGS_ACK = '\0\0\0\x04\x01\0\0\0\0'

/** Connections that become sockets, and sockets that become connections. */
export function handOverCases(bench: BenchNow): void {
  describe('a connection that is given up within `received`', () => {
    it('is a socket that an HTTP/2 session reads and writes', async () => {
      const { client, served } = await bench().pair()
      const given = new Promise<Socket>((resolve) => {
        served.on.received = () => {
          const socket = bench().transport.release(served.connection)
          socket.unshift(served.bytes)
          resolve(socket)
        }
      })
      client.write(HTTP2_PREFACE)
      const socket = await given
      const errors: Error[] = []
      socket.on('error', (error) => errors.push(error))
      const session = performServerHandshake(socket)
      session.on('error', (error) => errors.push(error))
      client.write(EMPTY_SETTINGS)
      await client.until(SETTINGS_ACK)
      expect(errors).to.deep.equal([])
      expect(bench().released).to.equal(0)
      session.destroy()
      await eventually(() => bench().released === 1)
      expect(served.told).to.deep.equal([])
    })
  })

  describe('a socket of somebody else', () => {
    it('is paused, begins with what was read of it, and goes on', async () => {
      const { client, socket, server } = await acceptedSocket()
      client.write('early ')
      await new Promise((resolve) => {
        socket.once('readable', resolve)
      })
      const served = new RecordedConnection().own(bench().transport.adopt(socket))
      client.write('late')
      await bench().meanwhile()
      expect(served.bytes).to.have.length(0)
      served.call((connection) => connection.resume())
      await served.untilBytes(10)
      expect(served.bytes.toString()).to.equal('early late')
      served.send('back')
      expect(await client.until('back')).to.equal('back')
      client.end()
      await served.untilTold('ended')
      served.call((connection) => connection.end())
      await served.untilTold('closed')
      expect(served.within).to.deep.equal([])
      // The server knows that it is gone, and so ends.
      await new Promise((resolve) => {
        server.close(resolve)
      })
      client.socket.destroy()
    })

    it('can be given up again, and is read by an HTTP/2 session', async () => {
      const { client, socket, server } = await acceptedSocket()
      const served = new RecordedConnection().own(bench().transport.adopt(socket))
      const given = new Promise<Socket>((resolve) => {
        served.on.received = () => {
          const released = bench().transport.release(served.connection)
          released.unshift(served.bytes)
          resolve(released)
        }
      })
      served.call((connection) => connection.resume())
      client.write(HTTP2_PREFACE)
      const taken = await given
      const session = performServerHandshake(taken)
      for (const one of [taken, session]) one.on('error', () => undefined)
      client.write(EMPTY_SETTINGS)
      await client.until(SETTINGS_ACK)
      session.destroy()
      server.close()
      client.socket.destroy()
    })

    it('tells of its close whoever listened before', async () => {
      const { client, socket, server } = await acceptedSocket()
      const closed = new Promise((resolve) => {
        socket.once('close', resolve)
      })
      const served = new RecordedConnection().own(bench().transport.adopt(socket))
      served.call((connection) => connection.close())
      await Promise.all([closed, served.untilTold('closed'), client.untilEnd()])
      server.close()
      client.socket.destroy()
    })

    it('that is gone already is told as closed', async () => {
      const { client, socket, server } = await acceptedSocket()
      socket.destroy()
      const served = new RecordedConnection().own(bench().transport.adopt(socket))
      await served.untilTold('closed')
      expect(served.connection.isClosed).to.equal(true)
      server.close()
      client.socket.destroy()
    })
  })
}

/** A socket that a plain server accepted, with its client. */
async function acceptedSocket(): Promise<{ client: RecordedSocket; socket: Socket; server: Server }> {
  const server = createServer({ allowHalfOpen: true })
  const socket = new Promise<Socket>((resolve) => {
    server.once('connection', resolve)
  })
  const client = await openClient(await listening(server))
  return { client, socket: await socket, server }
}
