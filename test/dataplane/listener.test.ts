import { connect, type Socket } from 'node:net'
import { expect } from 'chai'
import { Listeners } from '../../src/dataplane/listener.ts'

const SILENT = { warn: () => undefined, info: () => undefined, debug: () => undefined }

describe('Listeners', () => {
  it('bounds what waits for a client by the connection buffer (R20-121)', async () => {
    const accepted = Promise.withResolvers<Socket>()
    const engine = { accept: (socket: Socket) => accepted.resolve(socket) }
    const listeners = new Listeners({ engine, log: SILENT, connectionBufferBytes: 4096 })
    const [bound] = await listeners.open([{ host: '127.0.0.1', port: 0, group: 0, optional: false }])
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
