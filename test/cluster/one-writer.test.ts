// Replicas whose clocks are hours apart and which are stopped beyond their lease: the audit log of the API server has
// no write of anyone who did not hold the Lease (R30-43, R70-88 to R70-90, R70-111).
import { globSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { userOf } from '../../hack/cluster/identity.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { checkLease } from './support/lease-checker.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'
import { type WriterAccount, writerAccount } from './support/writer-account.ts'

/** How long a leader stays stopped at least: `npm run soak:stop` asks for 60, and then the lease is as it is by default. */
const STOP_MS = Number(process.env['STOP_SECONDS'] ?? 0) * 1000
const IS_LONG = STOP_MS > 0
const [RENEW_MS, ROUNDS, LEASE] = IS_LONG
  ? [10_000, 1, []]
  : [4000, 3, ['--leader-elect-duration=5s', '--leader-elect-renew=4s', '--leader-elect-retry=500ms']]
/** A lease and two tries of a candidate, which may be slow here. */
const TAKEN_MS = IS_LONG ? 60_000 : 45_000
/** Each replica's wall clock, as faketime has it; the monotonic clock must stay, or the test proves nothing (R90-23). */
const CLOCKS = ['+0', '+2h', '+20h']
/** A write is stamped when it comes in, and a renewal too: between the two a request may take its time. */
const ON_THE_WAY_MS = 3000

function withClock(offset: string): Readonly<Record<string, string>> {
  const [library] = globSync('/usr/lib/*/faketime/libfaketime.so.1')
  if (library === undefined) throw new Error('install the package faketime: the clocks of this test are set by it')
  return { LD_PRELOAD: library, FAKETIME: offset, FAKETIME_DONT_FAKE_MONOTONIC: '1' }
}

describe('one writer', function () {
  this.timeout(240_000 + ROUNDS * STOP_MS)
  const namespace = namespaceForEach()
  const running: Ramjet[] = []
  const accounts: WriterAccount[] = []

  afterEach(async () => {
    for (const ramjet of running) ramjet.process.signal('SIGCONT')
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
    accounts.length = 0
  })

  async function start(index: number): Promise<Ramjet> {
    const account = await writerAccount(theCluster(), namespace(), `replica-${index}`)
    accounts.push(account)
    const flags = [...LEASE, `--leader-elect-namespace=${namespace().name}`, '--publish-address=192.0.2.10']
    const ramjet = await Ramjet.start(theCluster(), {
      workers: 1,
      account: account.ref,
      flags,
      env: withClock(CLOCKS[index] ?? '+0'),
    })
    running.push(ramjet)
    return ramjet
  }

  async function leader(not?: Ramjet): Promise<Ramjet> {
    return await eventually(async () => {
      for (const ramjet of running) {
        if (ramjet !== not && (await ramjet.metric('ramjet_leader')) === 1) return ramjet
      }
      throw new Error('nobody leads')
    }, TAKEN_MS)
  }

  /** Changes an Ingress and waits until the leader has written what follows from it. */
  async function edit(turn: number): Promise<void> {
    const path = `/apis/networking.k8s.io/v1/namespaces/${namespace().name}/ingresses/shop`
    const before = await theCluster()
      .admin.request('GET', path)
      .catch(() => undefined)
    await namespace().ingress('shop', { [namespace().host('shop')]: { [`/turn-${turn}`]: 'web' } })
    await eventually(async () => {
      const after = await theCluster().admin.request('GET', path)
      expect(observed(after)).to.be.above(observed(before))
    })
  }

  it('there is, whatever clocks say and whoever is stopped: nobody writes past his lease', async () => {
    await namespace().service('web')
    for (const index of CLOCKS.keys()) await start(index)
    await edit(0)
    let latestMs = 0
    for (let round = 1; round <= ROUNDS; round += 1) {
      const stopped = await leader()
      // In the middle of writing: an edit has just been made.
      await namespace().ingress(`round-${round}`, { [namespace().host(`round-${round}`)]: { '/': 'web' } })
      stopped.process.signal('SIGSTOP')
      const atLeast = sleep(STOP_MS)
      await leader(stopped)
      await edit(round)
      latestMs = Math.max(latestMs, await renewedAtMs(namespace().name))
      await atLeast
      stopped.process.signal('SIGCONT')
      await eventually(async () => expect(await stopped.metric('ramjet_leader')).to.equal(0))
    }
    expect(latestMs - Date.now(), 'somebody led whose clock is wrong').to.be.above(3_600_000)
    const users = accounts.map(({ ref }) => userOf(ref))
    const report = checkLease(theCluster().auditLog, users, RENEW_MS + ON_THE_WAY_MS)
    expect(report.unlawful).to.deep.equal([])
    expect(report.handOvers).to.be.at.least(ROUNDS)
    expect(report.writers.length).to.be.at.least(2)
  })
})

/** What the holder of the Lease wrote as its time. */
async function renewedAtMs(namespace: string): Promise<number> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases/ramjet-ramjet.dev-ingress`
  const lease = (await theCluster().admin.request('GET', path)) as { spec: { renewTime: string } }
  return Date.parse(lease.spec.renewTime)
}

function observed(ingress: unknown): number {
  const { metadata } = (ingress ?? {}) as { metadata?: { annotations?: Readonly<Record<string, string>> } }
  return Number(metadata?.annotations?.['ramjet.dev/observed-generation'] ?? 0)
}
