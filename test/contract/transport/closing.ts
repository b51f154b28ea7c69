import { expect } from 'chai'
import { settled } from '../../fakes/clock.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import { type BenchNow, MUCH } from './bench.ts'

export function closingCases(bench: BenchNow): void {
  for (const event of ['received', 'ended', 'drained'] as const) {
    it(`within \`${event}\` is followed by \`closed\` and nothing else`, async () => {
      const { client, served } = await bench().pair()
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
    caller.own(bench().transport.connect({ host: '127.0.0.1', port: bench().port }, caller))
    await caller.untilTold('closed')
    await settled()
    expect(caller.told).to.deep.equal(['opened', 'closed'])
  })

  it('may come twice, and nothing that is called behind it does anything', async () => {
    const { client, served } = await bench().pair()
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
    const { client, served } = await bench().pair()
    client.socket.pause()
    served.send(Buffer.alloc(MUCH))
    served.call((connection) => connection.close())
    await served.untilTold('closed')
    expect(served.told).to.deep.equal(['closed'])
  })

  it('of one connection within an event of another touches that one alone', async () => {
    const first = await bench().pair()
    const second = await bench().pair()
    const third = await bench().pair()
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
}
