import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Listeners } from '../../src/dataplane/listener.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { FakeCounters } from '../fakes/counters.ts'
import { openClient } from '../fakes/raw-client.ts'

const SILENT = { warn: () => undefined, info: () => undefined, debug: () => undefined }

const timers = new FakeClock()
const ADDRESS = { host: '127.0.0.1', port: 0, group: 0, optional: false }

describe('Listeners', () => {
  it('71 #209: closes connections above the maximum at once, counts them, and takes new ones when there is room', async () => {
    const accepted: Socket[] = []
    const engine = { accept: (socket: Socket) => accepted.push(socket) }
    const counters = new FakeCounters()
    const listeners = new Listeners({
      engine,
      counters,
      log: SILENT,
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
