// What every transport must do; each implementation runs it.
import { performServerHandshake } from 'node:http2'
import { createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import type { Transport } from '../../src/dataplane/transport/transport.ts'
import { eventually, settled } from '../fakes/clock.ts'
import { DeafListener } from '../fakes/deaf-listener.ts'
import { listening } from '../fakes/listening.ts'
import { openSockets } from '../fakes/open-sockets.ts'
import { openClient } from '../fakes/raw-client.ts'
import { RecordedConnection } from '../fakes/recorded-connection.ts'
import type { RecordedSocket } from '../fakes/recorded-socket.ts'

/** More than the kernel takes for a peer that does not read. */
const MUCH = 24 * 1024 * 1024
const MANY = 1000

// RFC 9113, sections 3.4 and 6.5, as one character a byte.
const HTTP2_PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'
const EMPTY_SETTINGS = '\0\0\0\x04\0\0\0\0\0'
const SETTINGS_ACK = '\0\0\0\x04\x01\0\0\0\0'

/** A server whose connections a transport takes, and everything that a test opened. */
class TransportBench {
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
function pattern(bytes: number, seed = 1): Buffer {
  const buffer = Buffer.allocUnsafe(bytes - (bytes % 4))
  for (let at = 0; at < buffer.length; at += 4) buffer.writeInt32LE(Math.imul(at + seed, 0x9e3779b1) | 0, at)
  return buffer
}

export function transportContract(name: string, create: () => Transport): void {
  describe(`${name}: the contract of transports`, () => {
    let bench: TransportBench

    beforeEach(async () => {
      bench = await TransportBench.start(create())
    })

    afterEach(async () => {
      await bench.stop()
      for (const { within } of bench.accepted) expect(within).to.deep.equal([])
    })

    it('has the name by which it is asked for', () => {
      expect(bench.transport.name).to.equal(name)
    })

    describe('bytes', () => {
      it('come as they were sent, in order, in both directions', async () => {
        const { caller, served } = await bench.ownPair()
        const there = pattern(200_000, 1)
        const back = pattern(200_000, 7)
        for (let at = 0; at < there.length; at += 997) caller.send(Buffer.from(there.subarray(at, at + 997)))
        for (let at = 0; at < back.length; at += 1499) served.send(Buffer.from(back.subarray(at, at + 1499)))
        expect((await served.untilBytes(there.length)).equals(there)).to.equal(true)
        expect((await caller.untilBytes(back.length)).equals(back)).to.equal(true)
        expect(served.connection.bytesRead).to.equal(there.length)
        expect(caller.connection.bytesRead).to.equal(back.length)
      })

      it('are taken from the middle of a buffer, and no byte around them', async () => {
        const { client, served } = await bench.pair()
        const buffer = Buffer.from('0123456789')
        served.call((connection) => connection.send(buffer, 3, 6))
        served.call((connection) => connection.send(buffer, 0, 2))
        served.call((connection) => connection.send(buffer, 9, 10))
        expect(await client.untilLength(6)).to.equal('345019')
      })

      it('of one buffer that is written again and again come right, whatever their length (R60-23)', async () => {
        const { client, served } = await bench.pair()
        const output = Buffer.alloc(8192)
        let want = ''
        for (let round = 0; round < 300; round += 1) {
          const length = 1 + ((round * 37) % 5000)
          output.fill(65 + (round % 26), 0, length)
          want += output.toString('latin1', 0, length)
          expect(served.call((connection) => connection.send(output, 0, length))).to.equal(true)
          await client.untilLength(want.length)
        }
        expect((await client.untilLength(want.length)) === want).to.equal(true)
      })

      it('that are none are sent, and the buffer is still the owner’s', async () => {
        const { client, served } = await bench.pair()
        expect(served.call((connection) => connection.send(Buffer.alloc(8), 4, 4))).to.equal(true)
        served.send('x')
        expect(await client.until('x')).to.equal('x')
      })

      it('that are sent before the connection stands wait for it', async () => {
        const caller = bench.connect({ host: '127.0.0.1', port: bench.port })
        expect(caller.send('early')).to.equal(false)
        await caller.untilTold('drained')
        expect(caller.told).to.deep.equal(['opened', 'drained'])
        await eventually(() => bench.accepted.length === 1)
        await bench.accepted[0]?.untilBytes(5)
        expect(bench.accepted[0]?.bytes.toString()).to.equal('early')
        caller.connection.close()
      })
    })

    describe('back-pressure', () => {
      it('keeps a buffer that the kernel does not take whole until `drained` (R60-23)', async () => {
        const { client, served } = await bench.pair()
        client.socket.pause()
        const much = pattern(MUCH)
        expect(served.send(much)).to.equal(false)
        expect(served.connection.queuedBytes).to.be.greaterThan(0)
        await bench.meanwhile()
        expect(served.told).to.deep.equal([])
        client.socket.resume()
        await served.untilTold('drained')
        expect(served.connection.queuedBytes).to.equal(0)
        expect(served.told).to.deep.equal(['drained'])
        await client.untilLength(MUCH)
        expect(Buffer.from(client.text, 'latin1').equals(much)).to.equal(true)
      })

      it('takes more while something waits, in order, and tells `drained` once, behind all of it', async () => {
        const { client, served } = await bench.pair()
        client.socket.pause()
        expect(served.send(Buffer.alloc(MUCH, 'a'))).to.equal(false)
        expect(served.send('b')).to.equal(false)
        expect(served.send(Buffer.alloc(MUCH, 'c'))).to.equal(false)
        served.on.drained = () => served.send('d')
        client.socket.resume()
        await client.untilLength(2 * MUCH + 2)
        expect(served.told).to.deep.equal(['drained'])
        expect(/^a+bc+d$/.test(client.text)).to.equal(true)
      })

      it('reads nothing while it is paused, and then what waited', async () => {
        const { client, served } = await bench.pair()
        served.on.received = () => served.call((connection) => connection.pause())
        client.write('one')
        await served.untilBytes(3)
        client.write(Buffer.alloc(MUCH, 'x'))
        client.end()
        await bench.meanwhile()
        expect(served.bytes.toString()).to.equal('one')
        expect(client.socket.writableLength).to.be.greaterThan(0)
        expect(served.told).to.deep.equal([])
        delete served.on.received
        served.call((connection) => connection.resume())
        await served.untilTold('ended')
        expect(served.bytes).to.have.length(3 + MUCH)
      })

      it('may be paused from the beginning, at either end', async () => {
        const caller = bench.connect({ host: '127.0.0.1', port: bench.port })
        caller.call((connection) => connection.pause())
        await caller.untilTold('opened')
        await eventually(() => bench.accepted.length === 1)
        bench.accepted[0]?.send('hello')
        await bench.meanwhile()
        expect(caller.bytes).to.have.length(0)
        caller.call((connection) => connection.resume())
        await caller.untilBytes(5)
        caller.connection.close()
      })

      it('is the same towards a server', async () => {
        const { caller, served } = await bench.ownPair()
        served.call((connection) => connection.pause())
        expect(caller.send(Buffer.alloc(MUCH, 'a'))).to.equal(false)
        expect(caller.connection.queuedBytes).to.be.greaterThan(0)
        served.call((connection) => connection.resume())
        await caller.untilTold('drained')
        await served.untilBytes(MUCH)
        expect(served.bytes).to.have.length(MUCH)
      })

      it('changes its mind many times without losing a byte', async () => {
        const { client, served } = await bench.pair()
        const much = pattern(4 * 1024 * 1024)
        served.on.received = () => {
          served.call((connection) => connection.pause())
          served.call((connection) => connection.resume())
          served.call((connection) => connection.pause())
          setImmediate(() => served.call((connection) => connection.resume()))
        }
        client.write(much)
        await served.untilBytes(much.length)
        expect(served.bytes.equals(much)).to.equal(true)
      })
    })

    describe('the end', () => {
      it('of the peer is told once, and the other direction goes on', async () => {
        const { client, served } = await bench.pair()
        client.write('question').end()
        await served.untilTold('ended')
        expect(served.bytes.toString()).to.equal('question')
        served.send('answer')
        expect(await client.until('answer')).to.equal('answer')
        expect(served.connection.isClosed).to.equal(false)
        served.call((connection) => connection.end())
        await served.untilTold('closed')
        expect(served.told).to.deep.equal(['ended', 'closed'])
      })

      it('of our side comes behind everything that was sent, and reading goes on', async () => {
        const { client, served } = await bench.pair()
        client.socket.pause()
        served.send(Buffer.alloc(MUCH, 'a'))
        served.call((connection) => connection.end())
        client.socket.resume()
        expect(await client.untilEnd()).to.have.length(MUCH)
        client.write('still here')
        await served.untilBytes(10)
        expect(served.told).to.not.include('closed')
        client.end()
        await served.untilTold('closed')
        expect(served.told.slice(-2)).to.deep.equal(['ended', 'closed'])
      })

      it('before a connection stands is sent when it does', async () => {
        const caller = bench.connect({ host: '127.0.0.1', port: bench.port })
        caller.send('all')
        caller.call((connection) => connection.end())
        await eventually(() => bench.accepted.length === 1)
        const [served] = bench.accepted
        await served?.untilTold('ended')
        expect(served?.bytes.toString()).to.equal('all')
        served?.call((connection) => connection.end())
        await caller.untilTold('closed')
        expect(caller.told).to.deep.equal(['opened', 'drained', 'ended', 'closed'])
      })

      it('given twice is one, and nothing is sent behind it', async () => {
        const { client, served } = await bench.pair()
        served.send('last')
        served.call((connection) => connection.end())
        served.call((connection) => connection.end())
        expect(served.send('never')).to.equal(true)
        expect(await client.untilEnd()).to.equal('last')
        expect(served.told).to.deep.equal([])
      })

      it('of both sides closes, from whichever event it comes', async () => {
        const { caller, served } = await bench.ownPair()
        served.on.ended = () => served.call((connection) => connection.end())
        caller.call((connection) => connection.end())
        await Promise.all([caller.untilTold('closed'), served.untilTold('closed')])
        expect(caller.told).to.deep.equal(['opened', 'ended', 'closed'])
        expect(served.told).to.deep.equal(['ended', 'closed'])
        expect(caller.within).to.deep.equal([])
      })
    })

    describe('faults', () => {
      it('a reset is told by its name, once and last', async () => {
        const { client, served } = await bench.pair()
        client.reset()
        await served.untilTold('closed')
        await settled()
        expect(served.told).to.deep.equal(['closed: ECONNRESET'])
        expect(served.connection.isClosed).to.equal(true)
      })

      it('a reset under a write that waits is told once, and never as drained', async () => {
        const { client, served } = await bench.pair()
        client.socket.pause()
        served.send(Buffer.alloc(MUCH))
        client.reset()
        await served.untilTold('closed')
        await settled()
        expect(served.told).to.have.length(1)
        expect(served.told[0]).to.match(/^closed: (ECONNRESET|EPIPE)$/)
        expect(served.connection.queuedBytes).to.equal(0)
      })

      it('a write to a peer that is gone is told from the event loop', async () => {
        const { client, served } = await bench.pair()
        served.call((connection) => connection.pause())
        client.reset()
        await bench.meanwhile()
        served.send('into the void')
        served.send('and again')
        await served.untilTold('closed')
        expect(served.told).to.have.length(1)
        expect(served.told[0]).to.match(/^closed: (ECONNRESET|EPIPE)$/)
        expect(served.within).to.deep.equal([])
      })

      it('a refused connect is told by its name and never as opened', async () => {
        const closed = createServer()
        const port = await listening(closed)
        await new Promise((resolve) => {
          closed.close(resolve)
        })
        const caller = bench.connect({ host: '127.0.0.1', port })
        caller.send('never')
        await caller.untilTold('closed')
        expect(caller.told).to.deep.equal(['closed: ECONNREFUSED'])
      })

      it('a connect that the system does not even begin is told from the event loop', async () => {
        const caller = new RecordedConnection()
        let isConnecting = true
        caller.on.closed = () => expect(isConnecting).to.equal(false)
        caller.own(bench.transport.connect({ host: '255.255.255.255', port: 9 }, caller))
        isConnecting = false
        await caller.untilTold('closed')
        expect(caller.told).to.have.length(1)
        expect(caller.told[0]).to.match(/^closed: E[A-Z]+$/)
      })

      it('a connect that nobody answers ends when its owner closes it', async () => {
        const deaf = await DeafListener.start()
        try {
          // Its queue fills in this turn.
          await settled()
          const [host = '', port] = deaf.address.split(':')
          const caller = bench.connect({ host, port: Number(port) })
          await bench.meanwhile()
          expect(caller.told).to.deep.equal([])
          caller.call((connection) => connection.close())
          await caller.untilTold('closed')
          expect(caller.told).to.deep.equal(['closed'])
        } finally {
          deaf.stop()
        }
      })

      it('an accept that fails is told to the server’s own listeners', () => {
        const errors: Error[] = []
        bench.server.on('error', (error) => errors.push(error))
        const handle: unknown = Reflect.get(bench.server, '_handle')
        const EMFILE = -24
        Reflect.get(Object(handle), 'onconnection').call(handle, EMFILE)
        expect(errors.map((error) => Reflect.get(error, 'code'))).to.deep.equal(['EMFILE'])
      })

      it('a server that does not listen cannot be attached', () => {
        expect(() => bench.transport.attach(createServer(), () => undefined)).to.throw(TypeError, 'does not listen')
      })
    })

    describe('close', () => {
      for (const event of ['received', 'ended', 'drained'] as const) {
        it(`within \`${event}\` is followed by \`closed\` and nothing else`, async () => {
          const { client, served } = await bench.pair()
          served.on[event] = () => served.call((connection) => connection.close())
          client.socket.pause()
          if (event === 'drained') served.send(Buffer.alloc(MUCH))
          else client.write('x')
          if (event === 'ended') client.end()
          client.socket.resume()
          await served.untilTold('closed')
          await settled()
          expect(served.told).to.deep.equal(event === 'received' ? ['closed'] : [event, 'closed'])
        })
      }

      it('within `opened` is followed by `closed` and nothing else', async () => {
        const caller = new RecordedConnection()
        caller.on.opened = () => caller.call((connection) => connection.close())
        caller.own(bench.transport.connect({ host: '127.0.0.1', port: bench.port }, caller))
        await caller.untilTold('closed')
        await settled()
        expect(caller.told).to.deep.equal(['opened', 'closed'])
      })

      it('may come twice, and nothing that is called behind it does anything', async () => {
        const { client, served } = await bench.pair()
        served.call((connection) => {
          connection.close()
          connection.close()
          connection.pause()
          connection.resume()
          connection.end()
        })
        expect(served.send('never')).to.equal(true)
        expect(served.connection.isClosed).to.equal(true)
        expect(served.connection.queuedBytes).to.equal(0)
        await served.untilTold('closed')
        expect(await client.untilEnd()).to.equal('')
        expect(served.told).to.deep.equal(['closed'])
        expect([served.connection.peerAddress, served.connection.peerPort]).to.deep.equal(['', 0])
      })

      it('gives up what waits', async () => {
        const { client, served } = await bench.pair()
        client.socket.pause()
        served.send(Buffer.alloc(MUCH))
        served.call((connection) => connection.close())
        await served.untilTold('closed')
        expect(served.told).to.deep.equal(['closed'])
      })

      it('of one connection within an event of another touches that one alone', async () => {
        const first = await bench.pair()
        const second = await bench.pair()
        const third = await bench.pair()
        first.served.on.received = () => second.served.call((connection) => connection.close())
        second.client.write('x')
        first.client.write('x')
        third.client.write('x')
        await second.served.untilTold('closed')
        await third.served.untilBytes(1)
        expect(first.served.told).to.deep.equal([])
        expect(third.served.told).to.deep.equal([])
        expect(second.served.told).to.deep.equal(['closed'])
      })
    })

    describe('who is told', () => {
      it('may change at any time', async () => {
        const { client, served } = await bench.pair()
        client.write('one')
        await served.untilBytes(3)
        const next = new RecordedConnection().own(served.connection)
        client.write('two').end()
        await next.untilTold('ended')
        expect([served.bytes.toString(), next.bytes.toString()]).to.deep.equal(['one', 'two'])
        expect(served.told).to.deep.equal([])
      })

      it('of a connection that was accepted learns its peer', async () => {
        const { client, served } = await bench.pair()
        expect(served.connection.peerAddress).to.equal('127.0.0.1')
        expect(served.connection.peerPort).to.equal(client.socket.localPort)
      })

      it('of an IPv4 client behind an IPv6 socket learns its IPv4 address', async function ipv6() {
        const server = createServer()
        await new Promise<void>((resolve) => {
          server.listen({ host: '::ffff:127.0.0.1', port: 0 }, resolve)
        })
        const address = server.address()
        const peer = new Promise<string>((resolve) => {
          bench.transport.attach(server, (connection) => {
            resolve(connection.peerAddress)
            connection.close()
          })
        })
        const client = await openClient(typeof address === 'object' ? (address?.port ?? 0) : 0)
        expect(await peer).to.equal('127.0.0.1')
        client.socket.destroy()
        server.close()
      })
    })

    describe('a connection that is given up within `received`', () => {
      it('is a socket that an HTTP/2 session reads and writes', async () => {
        const { client, served } = await bench.pair()
        const given = new Promise<Socket>((resolve) => {
          served.on.received = () => {
            const socket = bench.transport.release(served.connection)
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
        expect(bench.released).to.equal(0)
        session.destroy()
        await eventually(() => bench.released === 1)
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
        const served = new RecordedConnection().own(bench.transport.adopt(socket))
        client.write('late')
        await bench.meanwhile()
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
        const served = new RecordedConnection().own(bench.transport.adopt(socket))
        const given = new Promise<Socket>((resolve) => {
          served.on.received = () => {
            const released = bench.transport.release(served.connection)
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
        const served = new RecordedConnection().own(bench.transport.adopt(socket))
        served.call((connection) => connection.close())
        await Promise.all([closed, served.untilTold('closed'), client.untilEnd()])
        server.close()
        client.socket.destroy()
      })

      it('that is gone already is told as closed', async () => {
        const { client, socket, server } = await acceptedSocket()
        socket.destroy()
        const served = new RecordedConnection().own(bench.transport.adopt(socket))
        await served.untilTold('closed')
        expect(served.connection.isClosed).to.equal(true)
        server.close()
        client.socket.destroy()
      })
    })

    it(`carries ${MANY} connections at a time, releases each once, and leaves no handle`, async function many() {
      this.timeout(30_000)
      const before = openSockets()
      const callers = Array.from({ length: MANY }, () => bench.connect({ host: '127.0.0.1', port: bench.port }))
      await Promise.all(callers.map((caller) => caller.untilTold('opened')))
      await eventually(() => bench.accepted.length === MANY)
      for (const served of bench.accepted) served.on.received = () => served.send(Buffer.from(served.bytes))
      for (const [index, caller] of callers.entries()) caller.send(`caller ${index};`)
      await Promise.all(callers.map((caller) => caller.when(() => caller.bytes.includes(';'))))
      const answers = callers.map(({ bytes }) => bytes.toString())
      expect(answers).to.deep.equal(callers.map((_, index) => `caller ${index};`))
      for (const caller of callers) caller.call((connection) => connection.close())
      await Promise.all(callers.map((caller) => caller.untilTold('closed')))
      await Promise.all(bench.accepted.map((served) => served.untilTold('ended')))
      for (const served of bench.accepted) served.call((connection) => connection.end())
      await Promise.all(bench.accepted.map((served) => served.untilTold('closed')))
      expect(bench.released).to.equal(MANY)
      expect(openSockets()).to.equal(before)
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
