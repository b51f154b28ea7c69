// Two replicas are replaced one after the other under load, as a Deployment does it (R20-171, R90-22).
import { expect } from 'chai'
import { userOf } from '../../hack/cluster/identity.ts'
import { answersTo } from './support/audit.ts'
import { BalancedTraffic } from './support/balanced-traffic.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { checkLease } from './support/lease-checker.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'
import { writerAccount } from './support/writer-account.ts'

/** Longer than a balancer takes to see that a replica is not ready. */
const SHUTDOWN_DELAY = '5s'
const FLOW = 200
const ADDRESS = '192.0.2.10'
/** `--leader-elect-renew`, and how long a request may be under way when it is stamped. */
const RENEWED_MS = 10_000 + 3000

describe('a rolling restart', function () {
  this.timeout(240_000)
  const namespace = namespaceForEach()
  const running: Ramjet[] = []
  /** Each replica has its own, by which the audit log tells them apart. */
  const users: string[] = []

  afterEach(async () => {
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
  })

  async function start(): Promise<Ramjet> {
    const { ref } = await writerAccount(theCluster(), namespace(), `replica-${users.length}`)
    users.push(userOf(ref))
    const flags = [`--leader-elect-namespace=${namespace().name}`, `--publish-address=${ADDRESS}`]
    const ramjet = await Ramjet.start(theCluster(), { shutdownDelay: SHUTDOWN_DELAY, account: ref, flags })
    running.push(ramjet)
    return ramjet
  }

  /** Writes onto the Ingress that were carried out, by what was written. */
  function writes(): { readonly annotations: number; readonly addresses: number } {
    const answers = users.flatMap((user) => answersTo(theCluster().auditLog, user))
    const count = (end: string): number =>
      answers.filter((line) => line.startsWith('200 patch ') && end === endOf(line)).length
    return { annotations: count('/ingresses/shop'), addresses: count('/ingresses/shop/status') }
  }

  async function address(): Promise<unknown> {
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace().name}/ingresses/shop`
    const { status } = (await theCluster().admin.request('GET', path)) as { status?: unknown }
    return status
  }

  it('loses no request and writes nothing twice: clients go where /readyz says, what is in flight ends (R20-166, R30-44)', async () => {
    const url = `http://${namespace().host('shop')}/`
    await namespace().service('web', 2)
    await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'web' } })
    const [first, second] = [await start(), await start()]
    for (const ramjet of [first, second]) await ramjet.serves(url, 'web')
    await eventually(() => expect(writes()).to.deep.equal({ annotations: 1, addresses: 1 }))
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
    // The Lease went from one to the next, nobody wrote without it, and what was written stayed: no address was cleared.
    const report = checkLease(theCluster().auditLog, users, RENEWED_MS)
    expect(report.unlawful).to.deep.equal([])
    expect(report.handOvers).to.be.at.least(1)
    expect(writes()).to.deep.equal({ annotations: 1, addresses: 1 })
    expect(await address()).to.deep.equal({ loadBalancer: { ingress: [{ ip: ADDRESS }] } })
  })
})

function endOf(line: string): string {
  return /\/ingresses\/[^?]*/.exec(line)?.[0] ?? ''
}
