// Two replicas are replaced one after the other under load, as a Deployment does it (R20-171, R90-22).
import { expect } from 'chai'
import { BalancedTraffic } from './support/balanced-traffic.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'

/** Longer than a balancer takes to see that a replica is not ready. */
const SHUTDOWN_DELAY = '1500ms'
const FLOW = 200

describe('a rolling restart', function () {
  this.timeout(120_000)
  const namespace = namespaceForEach()
  const running: Ramjet[] = []

  afterEach(async () => {
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
  })

  async function start(): Promise<Ramjet> {
    const ramjet = await Ramjet.start(theCluster(), { shutdownDelay: SHUTDOWN_DELAY })
    running.push(ramjet)
    return ramjet
  }

  it('loses no request: clients go where /readyz says, and what is in flight ends (R20-166, R20-167)', async () => {
    const url = `http://${namespace().host('shop')}/`
    await namespace().service('web', 2)
    await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'web' } })
    const [first, second] = [await start(), await start()]
    for (const ramjet of [first, second]) await ramjet.serves(url, 'web')
    const traffic = new BalancedTraffic(url, 'web', [first, second])
    try {
      for (const old of [first, second]) {
        await traffic.flow(old, FLOW)
        const successor = await start()
        await successor.serves(url, 'web')
        traffic.add(successor)
        await traffic.flow(successor, FLOW)
        const ended = old.stop()
        await eventually(async () => expect((await old.readiness()).status).to.equal(503))
        expect(await ended).to.equal(0)
        await traffic.flow(successor, FLOW)
      }
    } finally {
      const { answered, wrong, lost } = await traffic.stop()
      expect({ wrong, lost }).to.deep.equal({ wrong: [], lost: [] })
      expect(Math.min(...answered)).to.be.at.least(FLOW)
    }
  })
})
