// Each row of config/rbac that lets us write, taken away in turn: what is lost is what the table says, all else goes on,
// and it heals without a restart (R50-22).
import { expect } from 'chai'
import type { Grant } from '../../hack/rbac/table.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'
import { writerAccount } from './support/writer-account.ts'

const OBSERVED = 'ramjet.dev/observed-generation'
const ADDRESS = '192.0.2.10'
/** As soon as a test can see that it is tried again. */
const TUNABLES = { forbiddenWriteMs: 500, askAgainMs: 500 }
/** Longer than an Event takes that nobody refuses. */
const NEXT_EVENT_MS = 2000

/** What one Ingress with a warning about it was given. */
interface Written {
  readonly address: boolean
  readonly generation: boolean
  readonly event: boolean
}

const ALL: Written = { address: true, generation: true, event: true }

interface Row {
  readonly name: string
  readonly isMissing: (grant: Grant) => boolean
  readonly without: Written
  readonly isLeading: number
}

const may = (verb: string, resource: string) => (grant: Grant) =>
  grant.resources.includes(resource) && grant.verbs.some((one) => one === verb)

const ROWS: readonly Row[] = [
  {
    name: 'ingresses/status',
    isMissing: may('patch', 'ingresses/status'),
    without: { ...ALL, address: false },
    isLeading: 1,
  },
  { name: 'ingresses', isMissing: may('patch', 'ingresses'), without: { ...ALL, generation: false }, isLeading: 1 },
  { name: 'events', isMissing: may('create', 'events'), without: { ...ALL, event: false }, isLeading: 1 },
  {
    name: 'leases',
    isMissing: may('update', 'leases'),
    without: { address: false, generation: false, event: false },
    isLeading: 0,
  },
]

describe('an account that lacks a row for writing', function () {
  this.timeout(120_000)
  const namespace = namespaceForEach()
  let ramjet: Ramjet | undefined

  afterEach(async () => {
    await ramjet?.stop()
  })

  async function written(name: string): Promise<Written> {
    const { admin } = theCluster()
    const base = `/namespaces/${namespace().name}`
    const ingress = (await admin.request('GET', `/apis/networking.k8s.io/v1${base}/ingresses/${name}`)) as {
      metadata: { annotations?: Readonly<Record<string, string>> }
      status?: { loadBalancer?: { ingress?: readonly { ip?: string }[] } }
    }
    const { items } = (await admin.request('GET', `/apis/events.k8s.io/v1${base}/events`)) as {
      items: readonly { reason: string; regarding: { name: string } }[]
    }
    return {
      address: ingress.status?.loadBalancer?.ingress?.[0]?.ip === ADDRESS,
      generation: ingress.metadata.annotations?.[OBSERVED] !== undefined,
      event: items.some(({ reason, regarding }) => reason === 'UnknownAnnotation' && regarding.name === name),
    }
  }

  /** An Ingress that one warning is about, so that all three kinds of writes are due. */
  async function make(name: string): Promise<void> {
    const annotations = { 'ramjet.dev/rewrite-targt': '/x' }
    await namespace().ingress(name, { [namespace().host(name)]: { '/': 'web' } }, { annotations })
  }

  for (const { name, isMissing, without, isLeading } of ROWS) {
    it(`${name}: does without what the row says, serves on, and heals when it is granted`, async () => {
      await namespace().service('web')
      const account = await writerAccount(theCluster(), namespace(), 'lacking')
      await account.grant(isMissing)
      const flags = [`--leader-elect-namespace=${namespace().name}`, `--publish-address=${ADDRESS}`]
      ramjet = await Ramjet.start(theCluster(), { workers: 1, account: account.ref, flags, tunables: TUNABLES })
      const running = ramjet
      await make('before')
      await running.serves(`http://${namespace().host('before')}/`, 'web')
      await eventually(async () => expect(await written('before')).to.deep.equal(without))
      expect(await running.metric('ramjet_leader')).to.equal(isLeading)
      expect((await running.readiness()).status).to.equal(200)
      await account.grant(() => false)
      await eventually(async () => {
        const { address, generation } = await written('before')
        expect({ address, generation }).to.deep.equal({ address: true, generation: true })
      })
      // An Event that was refused is in the log alone, as are those of a moment after it; the next one is written.
      const after: string[] = []
      await eventually(async () => {
        after.push(`after-${after.length}`)
        await make(after.at(-1) ?? '')
        await eventually(async () => {
          const all = await Promise.all(after.map((one) => written(one)))
          expect(all.some(({ event }) => event)).to.equal(true)
        }, NEXT_EVENT_MS)
      })
    })
  }

  it('counts what was refused, and tells of it once', async () => {
    await namespace().service('web')
    const account = await writerAccount(theCluster(), namespace(), 'lacking')
    await account.grant((grant) => may('patch', 'ingresses/status')(grant) || may('create', 'events')(grant))
    const flags = [`--leader-elect-namespace=${namespace().name}`, `--publish-address=${ADDRESS}`]
    ramjet = await Ramjet.start(theCluster(), { workers: 1, account: account.ref, flags, tunables: TUNABLES })
    const running = ramjet
    await make('shop')
    await eventually(async () => {
      expect(await running.metric('ramjet_status_write_failures_total{kind="Ingress"}')).to.be.above(1)
      expect(await running.metric('ramjet_events_dropped_total')).to.be.above(0)
    })
    const told = running.process
      .tail()
      .split('\n')
      .filter((line) => line.includes('a write was forbidden'))
    expect(told.length).to.be.at.most(1)
  })
})
