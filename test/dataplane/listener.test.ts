import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Listeners } from '../../src/dataplane/listener.ts'
import { chooseTransport } from '../../src/dataplane/transport/choose.ts'
import type { Connection } from '../../src/dataplane/transport/transport.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { FakeCounters } from '../fakes/counters.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { openClient } from '../fakes/raw-client.ts'
import type { RecordedSocket } from '../fakes/recorded-socket.ts'

const SILENT = { warn: () => undefined, info: () => undefined, debug: () => undefined }

const timers = new FakeClock()
const ADDRESS = { host: '127.0.0.1', port: 0, group: 0, optional: false, secure: false }

interface Crowd {
  readonly listeners: Listeners
  readonly port: number
  readonly clients: readonly RecordedSocket[]
  readonly accepted: readonly Socket[]
}

/** Listeners to whom 100 clients come in one turn of the event loop, which connects them all and accepts one. */
async function crowded(): Promise<Crowd> {
  const accepted: Socket[] = []
  const listeners = new Listeners({
    engine: { accept: (socket: Socket) => accepted.push(socket) },
    counters: new FakeCounters(),
    log: SILENT,
    maxConnections: 1000,
    connectionBufferBytes: 4096,
    timers,
  })
  const [bound] = await listeners.open([ADDRESS])
  const port = bound?.port ?? 0
  const clients = await Promise.all(Array.from({ length: 100 }, () => openClient(port)))
  return { listeners, port, clients, accepted }
}

describe('Listeners', () => {
  it('71 #209: closes connections above the maximum at once, counts them, and takes new ones when there is room', async () => {
    const accepted: Socket[] = []
    const engine = { accept: (socket: Socket) => accepted.push(socket) }
    const counters = new FakeCounters()
    const log = new FakeLogger()
    const listeners = new Listeners({
      engine,
      counters,
      log,
      maxConnections: 2,
      connectionBufferBytes: 4096,
      timers,
    })
    const [bound] = await listeners.open([ADDRESS])
    const port = bound?.port ?? 0
    const clients = [await openClient(port), await openClient(port), await openClient(port), await openClient(port)]
    try {
      await Promise.all(clients.slice(2).map((client) => client.untilEnd()))
      expect(accepted).to.have.length(2)
      expect(counters.process('connectionsDroppedLimit')).to.equal(2)
      // R32-24: the first at warn, the others at debug.
      expect(log.records.map(({ level, fields }) => [level, fields])).to.deep.equal([
        ['warn', { maxConnections: 2 }],
        ['debug', { maxConnections: 2 }],
      ])
      expect(clients.slice(0, 2).map(({ isEnded }) => isEnded)).to.deep.equal([false, false])
      accepted[0]?.destroy()
      await clients[0]?.untilEnd()
      clients.push(await openClient(port))
      await eventually(() => accepted.length === 3)
      expect(counters.process('connectionsDroppedLimit')).to.equal(2)
    } finally {
      for (const { socket } of clients) socket.destroy()
      for (const socket of accepted) socket.destroy()
      listeners.close()
    }
  })

  for (const name of ['handle', 'public'] as const) {
    it(`71 #209: does the same for an engine that serves connections of ${name}`, async () => {
      const { transport } = await chooseTransport(name)
      const served: Connection[] = []
      const counters = new FakeCounters()
      const listeners = new Listeners({
        engine: {
          accept: () => expect.fail('it serves connections'),
          serve(connection, { localPort, proxied }) {
            expect({ localPort, proxied }).to.deep.equal({ localPort: port, proxied: undefined })
            served.push(connection)
          },
        },
        counters,
        log: SILENT,
        maxConnections: 2,
        connectionBufferBytes: 4096,
        transport,
        timers,
      })
      const [bound] = await listeners.open([ADDRESS])
      const port = bound?.port ?? 0
      const clients = [await openClient(port), await openClient(port), await openClient(port)]
      try {
        await clients[2]?.untilEnd()
        expect(served).to.have.length(2)
        expect(counters.process('connectionsDroppedLimit')).to.equal(1)
        served[0]?.close()
        await clients[0]?.untilEnd()
        clients.push(await openClient(port))
        await eventually(() => served.length === 3)
        expect(counters.process('connectionsDroppedLimit')).to.equal(1)
      } finally {
        for (const { socket } of clients) socket.destroy()
        for (const connection of served) connection.close()
        listeners.close()
      }
    })
  }

  it('takes what the kernel holds for it before it closes (R20-167)', async () => {
    const { listeners, port, clients, accepted } = await crowded()
    try {
      await listeners.closeWhenTaken(() => true)
      expect(accepted).to.have.length(100)
      expect(clients.filter(({ isEnded }) => isEnded)).to.deep.equal([])
      const late = await openClient(port).then(
        () => 'taken',
        () => 'refused',
      )
      expect(late).to.equal('refused')
    } finally {
      for (const { socket } of clients) socket.destroy()
      for (const socket of accepted) socket.destroy()
    }
  })

  it('closes in time however many come (R20-169)', async () => {
    const { listeners, clients, accepted } = await crowded()
    try {
      const before = accepted.length
      await listeners.closeWhenTaken(() => false)
      expect(accepted.length - before).to.be.below(10)
    } finally {
      for (const { socket } of clients) socket.destroy()
      for (const socket of accepted) socket.destroy()
    }
  })

  it('bounds what waits for a client by the connection buffer (R20-121)', async () => {
    const accepted = Promise.withResolvers<Socket>()
    const engine = { accept: (socket: Socket) => accepted.resolve(socket) }
    const listeners = new Listeners({
      engine,
      counters: new FakeCounters(),
      log: SILENT,
      maxConnections: 10,
      connectionBufferBytes: 4096,
      timers,
    })
    const [bound] = await listeners.open([ADDRESS])
    const client = connect({ host: '127.0.0.1', port: bound?.port ?? 0 })
    const socket = await accepted.promise
    try {
      expect(socket.writableHighWaterMark).to.equal(4096)
    } finally {
      client.destroy()
      socket.destroy()
      listeners.close()
    }
  })
})
