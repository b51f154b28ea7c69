import { expect } from 'chai'
import { eventually } from '../../fakes/clock.ts'
import { type BenchNow, pattern } from './bench.ts'

export function byteCases(bench: BenchNow): void {
  it('come as they were sent, in order, in both directions', async () => {
    const { caller, served } = await bench().ownPair()
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
    const { client, served } = await bench().pair()
    const buffer = Buffer.from('0123456789')
    served.call((connection) => connection.send(buffer, 3, 6))
    served.call((connection) => connection.send(buffer, 0, 2))
    served.call((connection) => connection.send(buffer, 9, 10))
    expect(await client.untilLength(6)).to.equal('345019')
  })

  it('of one buffer that is written again and again come right, whatever their length (R60-23)', async () => {
    const { client, served } = await bench().pair()
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
    const { client, served } = await bench().pair()
    expect(served.call((connection) => connection.send(Buffer.alloc(8), 4, 4))).to.equal(true)
    served.send('x')
    expect(await client.until('x')).to.equal('x')
  })

  it('that are sent before the connection stands wait for it', async () => {
    const caller = bench().connect({ host: '127.0.0.1', port: bench().port })
    expect(caller.send('early')).to.equal(false)
    await caller.untilTold('drained')
    expect(caller.told).to.deep.equal(['opened', 'drained'])
    await eventually(() => bench().accepted.length === 1)
    await bench().accepted[0]?.untilBytes(5)
    expect(bench().accepted[0]?.bytes.toString()).to.equal('early')
    caller.connection.close()
  })
}
