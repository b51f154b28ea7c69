import { expect } from 'chai'
import { eventually } from '../../fakes/clock.ts'
import { type BenchNow, MUCH } from './bench.ts'

export function endCases(bench: BenchNow): void {
  it('of the peer is told once, and the other direction goes on', async () => {
    const { client, served } = await bench().pair()
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
    const { client, served } = await bench().pair()
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
    const caller = bench().connect({ host: '127.0.0.1', port: bench().port })
    caller.send('all')
    caller.call((connection) => connection.end())
    await eventually(() => bench().accepted.length === 1)
    const [served] = bench().accepted
    await served?.untilTold('ended')
    expect(served?.bytes.toString()).to.equal('all')
    served?.call((connection) => connection.end())
    await caller.untilTold('closed')
    expect(caller.told).to.deep.equal(['opened', 'drained', 'ended', 'closed'])
  })

  it('given twice is one, and nothing is sent behind it', async () => {
    const { client, served } = await bench().pair()
    served.send('last')
    served.call((connection) => connection.end())
    served.call((connection) => connection.end())
    expect(served.send('never')).to.equal(true)
    expect(await client.untilEnd()).to.equal('last')
    expect(served.told).to.deep.equal([])
  })

  it('of both sides closes, from whichever event it comes', async () => {
    const { caller, served } = await bench().ownPair()
    served.on.ended = () => served.call((connection) => connection.end())
    caller.call((connection) => connection.end())
    await Promise.all([caller.untilTold('closed'), served.untilTold('closed')])
    expect(caller.told).to.deep.equal(['opened', 'ended', 'closed'])
    expect(served.told).to.deep.equal(['ended', 'closed'])
    expect(caller.within).to.deep.equal([])
  })
}
