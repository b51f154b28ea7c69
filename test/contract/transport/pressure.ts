import { expect } from 'chai'
import { eventually } from '../../fakes/clock.ts'
import { type BenchNow, MUCH, pattern } from './bench.ts'

export function pressureCases(bench: BenchNow): void {
  it('keeps a buffer that the kernel does not take whole until `drained` (R60-23)', async () => {
    const { client, served } = await bench().pair()
    client.socket.pause()
    const much = pattern(MUCH)
    expect(served.send(much)).to.equal(false)
    expect(served.connection.queuedBytes).to.be.greaterThan(0)
    await bench().meanwhile()
    expect(served.told).to.deep.equal([])
    client.socket.resume()
    await served.untilTold('drained')
    expect(served.connection.queuedBytes).to.equal(0)
    expect(served.told).to.deep.equal(['drained'])
    await client.untilLength(MUCH)
    expect(Buffer.from(client.text, 'latin1').equals(much)).to.equal(true)
  })

  it('takes more while something waits, in order, and tells `drained` once, behind all of it', async () => {
    const { client, served } = await bench().pair()
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
    const { client, served } = await bench().pair()
    served.on.received = () => served.call((connection) => connection.pause())
    client.write('one')
    await served.untilBytes(3)
    client.write(Buffer.alloc(MUCH, 'x'))
    client.end()
    await bench().meanwhile()
    expect(served.bytes.toString()).to.equal('one')
    expect(client.socket.writableLength).to.be.greaterThan(0)
    expect(served.told).to.deep.equal([])
    delete served.on.received
    served.call((connection) => connection.resume())
    await served.untilTold('ended')
    expect(served.bytes).to.have.length(3 + MUCH)
  })

  it('may be paused from the beginning, at either end', async () => {
    const caller = bench().connect({ host: '127.0.0.1', port: bench().port })
    caller.call((connection) => connection.pause())
    await caller.untilTold('opened')
    await eventually(() => bench().accepted.length === 1)
    bench().accepted[0]?.send('hello')
    await bench().meanwhile()
    expect(caller.bytes).to.have.length(0)
    caller.call((connection) => connection.resume())
    await caller.untilBytes(5)
    caller.connection.close()
  })

  it('is the same towards a server', async () => {
    const { caller, served } = await bench().ownPair()
    served.call((connection) => connection.pause())
    expect(caller.send(Buffer.alloc(MUCH, 'a'))).to.equal(false)
    expect(caller.connection.queuedBytes).to.be.greaterThan(0)
    served.call((connection) => connection.resume())
    await caller.untilTold('drained')
    await served.untilBytes(MUCH)
    expect(served.bytes).to.have.length(MUCH)
  })

  it('changes its mind many times without losing a byte', async () => {
    const { client, served } = await bench().pair()
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
}
