// The traffic driver, without the product: a driver that counts nothing would make every test of it pass.
import { expect } from 'chai'
import { startEchoPod } from '../../hack/cluster/echo-server.ts'
import { POD_PORT } from '../../hack/cluster/objects.ts'
import { nextPodAddress } from './support/addresses.ts'
import type { Target } from './support/ask.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Traffic } from './support/traffic.ts'

describe('the traffic driver', () => {
  let target: Target

  beforeEach(() => {
    theCluster()
    target = { address: nextPodAddress(), port: POD_PORT, host: 'a.example', path: '/' }
  })

  it('counts right answers alone where all is right', async () => {
    const pod = await startEchoPod({ name: 'a-1', address: target.address })
    const traffic = await Traffic.begin(target, 'a')
    await traffic.flow()
    const { answered, wrong, lost } = await traffic.stop()
    await pod.stop()
    expect([wrong, lost]).to.deep.equal([[], []])
    expect(answered).to.be.at.least(200)
  })

  it('counts requests that nobody answers as lost, and answers of somebody else as wrong', async () => {
    const first = await startEchoPod({ name: 'a-1', address: target.address })
    const traffic = await Traffic.begin(target, 'a')
    await first.stop()
    const second = await startEchoPod({ name: 'b-1', address: target.address })
    await eventually(() => expect(second.requests).to.be.above(50))
    const { wrong, lost } = await traffic.stop()
    await second.stop()
    expect(lost).to.not.deep.equal([])
    expect(new Set(wrong)).to.deep.equal(new Set(['b-1 where a was right']))
  })

  it('says so when the new side never answers, and takes the old one as right until it does', async () => {
    const pod = await startEchoPod({ name: 'a-1', address: target.address })
    const traffic = await Traffic.begin(target, 'a')
    const failed = await traffic.turn('b', async () => {}, 2_000).catch((error: Error) => error.message)
    expect(failed).to.match(/^no turn to b: \d+ answered, 0 wrong, 0 lost/)
    await traffic.turn('a', async () => {})
    const { wrong, lost } = await traffic.stop()
    await pod.stop()
    expect([wrong, lost]).to.deep.equal([[], []])
  })
})
