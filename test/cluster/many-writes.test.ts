// A change a second on many Ingresses, all of which are told the newest generation (R30-31, R30-35, R70-103).
import { expect } from 'chai'
import { DEFAULT_TUNABLES } from '../../src/controllers/tunables.ts'
import { theCluster } from './support/cluster.ts'
import { runManyWrites } from './support/many-writes.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'

const INGRESSES = 150
const SECONDS = 6

describe('a change every second on many Ingresses', function () {
  this.timeout(240_000)
  const namespace = namespaceForEach()
  const running: Ramjet[] = []

  afterEach(async () => {
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
  })

  it('is written as fast as configured and no faster, comes to rest, and never starts a loop of two replicas', async () => {
    for (let replica = 0; replica < 2; replica += 1) {
      running.push(await Ramjet.start(theCluster(), { workers: 1, flags: ['--observed-generation=all'] }))
    }
    const plan = { cluster: theCluster(), namespace: namespace(), replicas: running }
    const times = { told: 'all', ingresses: INGRESSES, seconds: SECONDS, restMs: 120_000, quietMs: 3000 } as const
    const report = await runManyWrites({ ...plan, ...times })
    const { writesPerSecond, writeBurst } = DEFAULT_TUNABLES
    // All Ingresses at once would be 150; each replica by itself twice the pace. One may have been under way before.
    expect(report.mostInOneSecond).to.be.within(writesPerSecond / 4, writesPerSecond + writeBurst + 1)
    expect(report.writes).to.be.above(INGRESSES)
    expect(report.writesAtRest).to.equal(0)
    expect(report.leaders).to.equal(1)
  })
})
