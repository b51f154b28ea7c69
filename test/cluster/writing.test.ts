// What the one replica that leads writes to the cluster (R30-25 to R30-45).
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { RAMJET_ACCOUNT, userOf } from '../../hack/cluster/identity.ts'
import { kubectl } from '../../hack/cluster/install.ts'
import { answersTo } from './support/audit.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet, type RamjetOptions } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'
import type { TestNamespace } from './support/test-namespace.ts'

const ADDRESS = '192.0.2.10'
const OBSERVED = 'ramjet.dev/observed-generation'
const LEASE_SECONDS = 5
const RETRY_MS = 500
const FLAGS = [
  `--publish-address=${ADDRESS}`,
  `--leader-elect-duration=${LEASE_SECONDS}s`,
  '--leader-elect-renew=4s',
  `--leader-elect-retry=${RETRY_MS}ms`,
]
/** A lease that outlasts a test: whoever leads next was given it. */
const LONG_LEASE = [
  `--publish-address=${ADDRESS}`,
  '--leader-elect-duration=120s',
  '--leader-elect-renew=100s',
  `--leader-elect-retry=${RETRY_MS}ms`,
]
/** `npm run soak:kills` asks for 50. */
const KILLS = Number(process.env['KILLS'] ?? 10)
/** Five Ingresses have their number and their address after a second: an object is written once in that time. */
const LONGEST_WRITING_MS = 1500
const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { namespace: RAMJET_ACCOUNT.namespace, name: 'ramjet-ramjet.dev-ingress' },
}
/** What a loaded machine may take beyond a promise; with it the sum is still below the lease that is the default. */
const SLACK_MS = 8000

interface StoredIngress {
  readonly metadata: { readonly name: string; readonly annotations?: Readonly<Record<string, string>> }
  readonly status?: { readonly loadBalancer?: { readonly ingress?: readonly { readonly ip?: string }[] } }
}

async function stored(namespace: TestNamespace, name: string): Promise<StoredIngress> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${namespace.name}/ingresses/${name}`
  return (await theCluster().admin.request('GET', path)) as StoredIngress
}

/** How many writes of ours onto Ingresses of a namespace the API server carried out. */
function writesOnto(auditLog: string, namespace: string): number {
  const place = `/namespaces/${namespace}/ingresses/`
  const answers = answersTo(auditLog, userOf(RAMJET_ACCOUNT))
  return answers.filter((line) => line.startsWith('200 patch ') && line.includes(place)).length
}

/** The number that each Ingress of a namespace carries. */
async function numbersIn({ name }: TestNamespace): Promise<ReadonlyMap<string, string | undefined>> {
  const path = `/apis/networking.k8s.io/v1/namespaces/${name}/ingresses`
  const { items } = (await theCluster().admin.request('GET', path)) as { readonly items: readonly StoredIngress[] }
  return new Map(items.map(({ metadata }) => [metadata.name, metadata.annotations?.[OBSERVED]]))
}

/** Whether any Ingress carries a number that it did not carry before. */
function hasNew(numbers: ReadonlyMap<string, string | undefined>, before: typeof numbers): boolean {
  return [...numbers].some(([name, number]) => number !== undefined && number !== before.get(name))
}

async function leads(ramjet: Ramjet): Promise<boolean> {
  return (await ramjet.metric('ramjet_leader')) === 1
}

/** Milliseconds until `ramjet` leads. */
async function untilLeading(ramjet: Ramjet): Promise<number> {
  const startMs = performance.now()
  await eventually(async () => expect(await leads(ramjet)).to.equal(true))
  return performance.now() - startMs
}

describe('what is written to the cluster', () => {
  const namespace = namespaceForEach()
  const running: Ramjet[] = []

  async function start(options: RamjetOptions = {}): Promise<Ramjet> {
    const ramjet = await Ramjet.start(theCluster(), { flags: FLAGS, ...options })
    running.push(ramjet)
    return ramjet
  }

  async function shop(): Promise<void> {
    await namespace().service('web')
    await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'web' } })
  }

  /** Resolves when the Ingress carries the address and the number of the newest generation. */
  async function written(ramjet: Ramjet, name: string): Promise<void> {
    await eventually(async () => {
      const { generations } = (await ramjet.admin('/admin/generations')) as { generations: { generation: number }[] }
      const { metadata, status } = await stored(namespace(), name)
      expect(status?.loadBalancer?.ingress).to.deep.equal([{ ip: ADDRESS }])
      expect(metadata.annotations?.[OBSERVED]).to.equal(String(generations[0]?.generation))
    })
  }

  async function isContested(ramjet: Ramjet): Promise<boolean> {
    const warnings = await ramjet.warnings(namespace().name)
    return warnings.some(({ reason }) => reason === 'ObservedGenerationContested')
  }

  afterEach('stop what runs', async () => {
    await Promise.all(running.splice(0).map((ramjet) => ramjet.stop()))
  })

  it('is the address and the observed generation of an Ingress, as kubectl shows them (R30-33, R30-37)', async () => {
    const ramjet = await start()
    await shop()
    await written(ramjet, 'shop')
    const place = ['-n', namespace().name]
    const columns = String.raw`custom-columns=GENERATION:.metadata.annotations.ramjet\.dev/observed-generation`
    expect(await kubectl(theCluster(), ['get', 'ingress', 'shop', ...place])).to.include(ADDRESS)
    expect(await kubectl(theCluster(), ['get', 'ingress', 'shop', ...place, '-o', columns])).to.match(
      /^GENERATION\s+\d+$/m,
    )
  })

  it('are Events about a warning, where kubectl describe shows them (R30-25)', async () => {
    const ramjet = await start()
    await shop()
    await written(ramjet, 'shop')
    await namespace().annotate('shop', { 'ramjet.dev/rewrite-targt': '/x' })
    await eventually(async () => {
      const text = await kubectl(theCluster(), ['describe', 'ingress', 'shop', '-n', namespace().name])
      expect(text).to.match(/Warning\s+UnknownAnnotation/)
    })
  })

  it('is nothing with --read-only, and the routes serve', async () => {
    const ramjet = await start({ flags: [...FLAGS, '--read-only'] })
    await shop()
    await ramjet.serves(`http://${namespace().host('shop')}/`, 'web')
    await namespace().compiled(ramjet)
    const { metadata, status } = await stored(namespace(), 'shop')
    expect(metadata.annotations?.[OBSERVED]).to.equal(undefined)
    expect(status?.loadBalancer?.ingress ?? []).to.deep.equal([])
    expect(await leads(ramjet)).to.equal(false)
  })

  it("loses the address when the Ingress is nobody's any more (R30-38)", async () => {
    const ramjet = await start()
    await shop()
    await written(ramjet, 'shop')
    const ingress = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress' }
    const metadata = { namespace: namespace().name, name: 'shop' }
    await theCluster().admin.patch({ ...ingress, metadata }, { spec: { ingressClassName: null } })
    await eventually(async () => {
      const { status } = await stored(namespace(), 'shop')
      expect(status?.loadBalancer?.ingress ?? []).to.deep.equal([])
    })
  })

  it('stays as it is while a replica stops and another one starts: nothing is cleared on the way', async () => {
    const first = await start()
    await shop()
    await written(first, 'shop')
    await first.stop()
    expect((await stored(namespace(), 'shop')).status?.loadBalancer?.ingress).to.deep.equal([{ ip: ADDRESS }])
    const second = await start()
    await untilLeading(second)
    await written(second, 'shop')
  })

  it('is mended after a kill at any point of writing (R70-110)', async function () {
    this.timeout(60_000 + KILLS * 20_000)
    await shop()
    let writers = 0
    for (let turn = 0; turn < KILLS; turn += 1) {
      // Nobody waits until the lease of who was killed has run out: that is shown below.
      await theCluster().admin.delete(LEASE)
      const ramjet = await start({ workers: 1 })
      await untilLeading(ramjet)
      const host = namespace().host(`turn-${turn}`)
      const before = writesOnto(theCluster().auditLog, namespace().name)
      const numbers = await numbersIn(namespace())
      const edits = [0, 1, 2, 3, 4].map((index) =>
        namespace().ingress(`many-${index}`, { [`${index}.${host}`]: { '/': 'web' } }),
      )
      // Every other time at any moment since the edits, else at any moment since the first of them was written for.
      if (turn % 2 === 0) await Promise.all([...edits, sleep(Math.random() * LONGEST_WRITING_MS)])
      else {
        await Promise.all(edits)
        await eventually(async () => expect(hasNew(await numbersIn(namespace()), numbers)).to.equal(true))
        await sleep(Math.random() * LONGEST_WRITING_MS)
      }
      ramjet.process.signal('SIGKILL')
      await ramjet.process.ended
      if (writesOnto(theCluster().auditLog, namespace().name) > before) writers += 1
    }
    // Else they were killed before they began, which shows nothing.
    expect(writers).to.be.at.least(KILLS / 4)
    const last = await start()
    await untilLeading(last)
    for (const name of ['shop', 'many-0', 'many-1', 'many-2', 'many-3', 'many-4']) await written(last, name)
  })

  it('is given up against somebody who takes it back three times, and told (R30-36, R70-102)', async () => {
    const ramjet = await start()
    await shop()
    await written(ramjet, 'shop')
    let strips = 0
    while (!(await isContested(ramjet))) {
      // What is taken away while a write of it is under way may not be known to have been there.
      expect(strips).to.be.below(8)
      await eventually(async () => {
        const { annotations } = (await stored(namespace(), 'shop')).metadata
        expect(annotations).to.have.property(OBSERVED)
      })
      strips += 1
      await namespace().annotate('shop', { [OBSERVED]: null, turn: String(strips) })
      await namespace().ingress('shop', { [namespace().host(`shop-${strips}`)]: { '/': 'web' } })
      await namespace().compiled(ramjet)
    }
    expect(strips).to.be.at.least(3)
    // A write that was under way may have put it back once more: from now on nothing does.
    await namespace().annotate('shop', { [OBSERVED]: null })
    await namespace().ingress('shop', { [namespace().host('shop-last')]: { '/': 'web' } })
    await namespace().ingress('later', { [namespace().host('later')]: { '/': 'web' } })
    await written(ramjet, 'later')
    await ramjet.serves(`http://${namespace().host('shop-last')}/`, 'web')
    expect((await stored(namespace(), 'shop')).metadata.annotations).to.not.have.property(OBSERVED)
  })
})

describe('two replicas', () => {
  const namespace = namespaceForEach()
  const running: Ramjet[] = []

  async function startTwo(options: RamjetOptions = {}): Promise<readonly [leader: Ramjet, other: Ramjet]> {
    const leader = await Ramjet.start(theCluster(), { flags: FLAGS, ...options })
    running.push(leader)
    await untilLeading(leader)
    const other = await Ramjet.start(theCluster(), { flags: FLAGS, ...options })
    running.push(other)
    expect(await leads(other)).to.equal(false)
    return [leader, other]
  }

  afterEach('stop what runs', async () => {
    await Promise.all(running.splice(0).map((ramjet) => ramjet.process.stop()))
    // Who was killed could not give it back.
    await theCluster().admin.delete(LEASE)
  })

  it('have one writer, and the other after a SIGTERM, long before the lease ends or the first has drained (R30-44)', async () => {
    const [leader, other] = await startTwo({ shutdownDelay: '20s', flags: LONG_LEASE })
    leader.process.signal('SIGTERM')
    await untilLeading(other)
    // The one that gave the lease back still answers: it is in its delay.
    expect(await leads(leader)).to.equal(false)
  })

  it('have another writer within the lease and two tries of a SIGKILL (R30-43)', async () => {
    const [leader, other] = await startTwo()
    leader.process.signal('SIGKILL')
    expect(await untilLeading(other)).to.be.below(LEASE_SECONDS * 1000 + 2 * RETRY_MS + SLACK_MS)
  })

  it('never have two writers where one was stopped beyond its lease and goes on (R70-90)', async () => {
    const [leader, other] = await startTwo()
    leader.process.signal('SIGSTOP')
    try {
      await untilLeading(other)
      await namespace().service('web')
      await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'web' } })
      await eventually(async () => {
        const { status } = await stored(namespace(), 'shop')
        expect(status?.loadBalancer?.ingress).to.deep.equal([{ ip: ADDRESS }])
      })
    } finally {
      leader.process.signal('SIGCONT')
    }
    await eventually(async () => expect(await leads(leader)).to.equal(false))
    expect(await leads(other)).to.equal(true)
  })
})
