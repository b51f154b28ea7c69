// A leader that alone cannot reach the API server any more: another one writes, and when it is back it follows (R30-43).
import { expect } from 'chai'
import { userOf } from '../../hack/cluster/identity.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'
import { checkLease, type LeaseReport } from './support/lease-checker.ts'
import { Ramjet } from './support/ramjet.ts'
import { writerAccount } from './support/writer-account.ts'

const RENEW_MS = 4000
/** A write is stamped when it comes in, and a renewal too: between the two a request may take its time. */
const ON_THE_WAY_MS = 3000
/** Readers back off to 30 s at most (R70-112), and then it takes as long as a change does. */
const BACK_MS = 60_000
const LEASE = ['--leader-elect-duration=5s', '--leader-elect-renew=4s', '--leader-elect-retry=500ms']

describe('a leader that is cut off from the API server', function () {
  this.timeout(150_000)
  const stage = faultyScene()
  let other: Ramjet | undefined

  afterEach(async () => {
    await other?.stop()
    other = undefined
  })

  it('stops to write and serves on; another one writes, and it follows that one when it is back', async () => {
    const { namespace, proxy } = stage
    const host = namespace.host('shop')
    const accounts = [
      await writerAccount(theCluster(), namespace, 'cut-off'),
      await writerAccount(theCluster(), namespace, 'other'),
    ]
    const [ofLeader, ofOther] = accounts.map(({ ref }) => ref)
    const flags = [...LEASE, `--leader-elect-namespace=${namespace.name}`, '--publish-address=192.0.2.10']
    for (const name of ['web', 'api']) await namespace.service(name)
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    const leader = await stage.start({ workers: 1, flags, ...(ofLeader ? { account: ofLeader } : {}) })
    await eventually(async () => expect(await leads(leader)).to.equal(true))
    // Whoever is cut off before he wrote anything shows nothing.
    const users = accounts.map(({ ref }) => userOf(ref))
    const report = (): LeaseReport => checkLease(theCluster().auditLog, users, RENEW_MS + ON_THE_WAY_MS)
    await eventually(() => expect(report().writers).to.deep.equal(users.slice(0, 1)))
    const next = await Ramjet.start(theCluster(), { workers: 1, flags, ...(ofOther ? { account: ofOther } : {}) })
    other = next

    const cut = proxy.inject(() => true, { kind: 'cut' })
    proxy.cut()
    await eventually(async () => expect(await leads(next)).to.equal(true))
    expect(await leads(leader)).to.equal(false)
    await namespace.ingress('shop', { [host]: { '/': 'api' } })
    await next.serves(`http://${host}/`, 'api')
    await leader.serves(`http://${host}/`, 'web')

    cut.lift()
    await leader.serves(`http://${host}/`, 'api', BACK_MS)
    expect([await leads(leader), await leads(next)]).to.deep.equal([false, true])
    await eventually(() => expect(report().writers).to.deep.equal(users))
    expect(report().unlawful).to.deep.equal([])
  })
})

async function leads(ramjet: Ramjet): Promise<boolean> {
  return (await ramjet.metric('ramjet_leader')) === 1
}
