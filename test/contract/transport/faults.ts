import { createServer } from 'node:net'
import { expect } from 'chai'
import { settled } from '../../fakes/clock.ts'
import { DeafListener } from '../../fakes/deaf-listener.ts'
import { listening } from '../../fakes/listening.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import { type BenchNow, MUCH } from './bench.ts'

export function faultCases(bench: BenchNow): void {
  it('a reset is told by its name, once and last', async () => {
    const { client, served } = await bench().pair()
    client.reset()
    await served.untilTold('closed')
    await settled()
    expect(served.told).to.deep.equal(['closed: ECONNRESET'])
    expect(served.connection.isClosed).to.equal(true)
  })

  it('a reset under a write that waits is told once, and never as drained', async () => {
    const { client, served } = await bench().pair()
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
    const { client, served } = await bench().pair()
    served.call((connection) => connection.pause())
    client.reset()
    await bench().meanwhile()
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
    const caller = bench().connect({ host: '127.0.0.1', port })
    caller.send('never')
    await caller.untilTold('closed')
    expect(caller.told).to.deep.equal(['closed: ECONNREFUSED'])
  })

  it('a connect that the system does not even begin is told from the event loop', async () => {
    const caller = new RecordedConnection()
    let isConnecting = true
    caller.on.closed = () => expect(isConnecting).to.equal(false)
    caller.own(bench().transport.connect({ host: '255.255.255.255', port: 9 }, caller))
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
      const caller = bench().connect({ host, port: Number(port) })
      await bench().meanwhile()
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
    bench().server.on('error', (error) => errors.push(error))
    const handle: unknown = Reflect.get(bench().server, '_handle')
    const EMFILE = -24
    Reflect.get(Object(handle), 'onconnection').call(handle, EMFILE)
    expect(errors.map((error) => Reflect.get(error, 'code'))).to.deep.equal(['EMFILE'])
  })

  it('a server that does not listen cannot be attached', () => {
    expect(() => bench().transport.attach(createServer(), () => undefined)).to.throw(TypeError, 'does not listen')
  })
}
