import { once } from 'node:events'
import { connect, createServer } from 'node:tls'
import { expect } from 'chai'
import { NO_EVENTS } from '../../../src/dataplane/transport/no-events.ts'
import { createPublicTransport } from '../../../src/dataplane/transport/public.ts'
import { transportContract } from '../../contract/transport.ts'
import { makeCertificate } from '../../fakes/certificates.ts'
import { eventually } from '../../fakes/clock.ts'
import { listening } from '../../fakes/listening.ts'
import { RecordedSocket } from '../../fakes/recorded-socket.ts'

transportContract('public', createPublicTransport)

describe('a connection by TLS on the public transport', () => {
  it('is done with a buffer when it has sent it, and tells when nothing waits', async () => {
    const pair = makeCertificate(['shop.example'])
    const server = createServer({ ...pair })
    const port = await listening(server)
    const peer = new Promise<RecordedSocket>((resolve) => {
      server.on('secureConnection', (socket) => resolve(new RecordedSocket(socket)))
    })
    const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
    await once(socket, 'secureConnect')
    const connection = createPublicTransport().adopt(socket)
    let drained = 0
    connection.events = { ...NO_EVENTS, drained: () => (drained += 1) }
    connection.resume()
    const buffer = Buffer.alloc(100_000, 'a')
    expect(connection.send(buffer, 0, buffer.length)).to.equal(true)
    buffer.fill('b')
    expect(connection.queuedBytes).to.equal(100_000)
    // Behind what waits a buffer is kept until that is gone.
    const kept = Buffer.from('c')
    expect(connection.send(kept, 0, 1)).to.equal(false)
    expect(await (await peer).untilLength(100_001)).to.equal(`${'a'.repeat(100_000)}c`)
    await eventually(() => drained > 0)
    expect(connection.queuedBytes).to.equal(0)
    connection.close()
    server.close()
  })
})
