// Generations that are put back: pin, compile on, release, restart, on one replica and on all (R30-16 to R30-19).
import { createServer, type Server } from 'node:http'
import { join } from 'node:path'
import { expect } from 'chai'
import { RAMJET_ACCOUNT } from '../../hack/cluster/identity.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { listening } from '../fakes/listening.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { ask } from './support/ask.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'
import { ADMIN_PORT, type Ramjet } from './support/ramjet.ts'

const TOKEN = 'a-token-of-the-test'
/** In which a replica leads, and what it did is told: nothing waits for either. */
const TOLD_MS = 45_000

interface History {
  readonly serving: number
  readonly pinned: number | null
  readonly generations: readonly {
    readonly generation: number
    readonly digest: string
    readonly published: boolean
    readonly rejected: string | null
    readonly diff: { readonly summary: string; readonly routes_added: readonly string[] }
  }[]
}

/** What the webhook is sent. */
interface Told {
  readonly event: string
  readonly replica: string
  readonly digest: string
  readonly summary: string
  readonly diff: { readonly routes_added: readonly string[] }
}

interface ClassEvent {
  readonly reason: string
  readonly note: string
  readonly reportingInstance: string
  readonly regarding: { readonly kind: string }
}

interface Reply {
  readonly status: number
  readonly document: Readonly<Record<string, unknown>>
}

describe('a rollback', () => {
  const stage = faultyScene()
  const dir = temporaryFolder('rollback', { token: `${TOKEN}\n` })
  const tokenFile = join(dir, 'token')
  const guarded = { flags: ['--admin-token-file', tokenFile] }

  /** `host` goes to `service`, and `ramjet` serves that. */
  async function lead(ramjet: Ramjet, service: string): Promise<string> {
    const host = stage.namespace.host('shop')
    await stage.namespace.ingress('shop', { [host]: { '/': service } })
    await ramjet.serves(`http://${host}/`, service)
    // The workers serve it before the digest that is told is theirs.
    const backend = `${stage.namespace.name}/${service}:80`
    await eventually(async () => expect((await ramjet.routes(host)).map((route) => route.backend)).to.include(backend))
    return servedDigest(ramjet)
  }

  it('pins, compiles on, releases, and is forgotten by a restart', async () => {
    const { namespace } = stage
    const ramjet = await stage.start(guarded)
    const url = `http://${namespace.host('shop')}/`
    for (const name of ['old', 'new']) await namespace.service(name)
    const old = await lead(ramjet, 'old')
    await lead(ramjet, 'new')

    const pinned = await change(ramjet, 'POST', { body: { digest: old } })
    expect([pinned.status, pinned.document['digest']]).to.deep.equal([200, old])
    await ramjet.serves(url, 'old')
    expect(await ramjet.metric('ramjet_pinned')).to.equal(1)

    await namespace.ingress('later', { [namespace.host('later')]: { '/': 'new' } })
    const held = await eventually(async () => {
      const [newest] = (await history(ramjet)).generations
      expect(newest).to.deep.include({ published: false, rejected: null })
      return newest
    })
    expect(held?.diff.routes_added).to.deep.equal([`${namespace.host('later')} / -> ${namespace.name}/new:80`])
    expect((await ramjet.get(`http://${namespace.host('later')}/`)).status).to.equal(404)
    expect((await history(ramjet)).pinned).to.equal(pinned.document['pinned'])

    const unknown = await change(ramjet, 'POST', { body: { generation: 9_999 } })
    expect(unknown.status).to.equal(404)
    expect(unknown.document['kept']).to.deep.include({ generation: pinned.document['serving'], digest: old })

    for (let time = 0; time < 2; time += 1) expect((await change(ramjet, 'DELETE')).status).to.equal(200)
    await ramjet.serves(url, 'new')
    await ramjet.serves(`http://${namespace.host('later')}/`, 'new')
    expect(await history(ramjet)).to.deep.include({ serving: held?.generation, pinned: null })

    await change(ramjet, 'POST', { body: { digest: old } })
    expect(await ramjet.stop()).to.equal(0)
    const restarted = await stage.start(guarded)
    await restarted.serves(url, 'new')
    expect((await history(restarted)).pinned).to.equal(null)
  })

  it('is told by a webhook, and by Events of the class (R30-22, R32-15)', async () => {
    const { namespace } = stage
    const told: Told[] = []
    const hook = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        told.push(JSON.parse(body) as Told)
        response.writeHead(204).end()
      })
    })
    const url = `http://127.0.0.1:${await listening(hook)}/`
    try {
      const ramjet = await stage.start({ flags: [...guarded.flags, '--audit-webhook', url] })
      await eventually(async () => expect(await ramjet.metric('ramjet_leader')).to.equal(1), TOLD_MS)
      for (const name of ['old', 'new']) await namespace.service(name)
      const old = await lead(ramjet, 'old')
      const newest = await lead(ramjet, 'new')
      await change(ramjet, 'POST', { body: { digest: old } })
      await change(ramjet, 'DELETE')
      await eventually(() => {
        const [pin, resume] = told.slice(-2)
        expect(pin).to.deep.include({ event: 'pin', replica: nameOf(ramjet), digest: old })
        expect(pin?.diff.routes_added).to.deep.equal([`${namespace.host('shop')} / -> ${namespace.name}/old:80`])
        expect(resume).to.deep.include({ event: 'resume', replica: nameOf(ramjet), digest: newest })
      }, TOLD_MS)
      const summaries = told.slice(-2).map(({ summary }) => summary)
      await eventually(async () => {
        const events = await eventsOfClasses(ramjet)
        const notes = ['ConfigPinned', 'ConfigResumed'].map(
          (name) => events.find(({ reason }) => reason === name)?.note,
        )
        expect(notes).to.deep.equal(summaries)
      }, TOLD_MS)
    } finally {
      close(hook)
    }
  })

  it('has no answer of 502 while the pods of what is pinned are rolled (R00-22)', async () => {
    const { namespace } = stage
    const ramjet = await stage.start(guarded)
    const [first] = await namespace.service('old')
    await namespace.service('new')
    const old = await lead(ramjet, 'old')
    await lead(ramjet, 'new')
    await change(ramjet, 'POST', { body: { digest: old } })
    const traffic = await ramjet.traffic(`http://${namespace.host('shop')}/`, 'old')
    let before = first
    for (let roll = 2; roll <= 4; roll += 1) {
      const next = await namespace.pod(`old-${roll}`)
      await namespace.endpoints('old', [next])
      await traffic.turn(`old-${roll}`, () => Promise.resolve())
      await before?.stop()
      await traffic.flow()
      before = next
    }
    const { answered, wrong, lost } = await traffic.stop()
    expect({ wrong, lost }).to.deep.equal({ wrong: [], lost: [] })
    expect(answered).to.be.above(300)
  })

  it('resolves from the caches a Service that was rolled while nobody named it, with the API server gone', async () => {
    const { namespace, proxy } = stage
    const ramjet = await stage.start(guarded)
    const url = `http://${namespace.host('shop')}/`
    const [first] = await namespace.service('old')
    await namespace.service('new')
    const old = await lead(ramjet, 'old')
    await lead(ramjet, 'new')
    const next = await namespace.pod('old-2')
    await namespace.endpoints('old', [next])
    // The newest generation names it not, so nothing tells when the cache has it but what comes after it.
    const later = await namespace.pod('new-2')
    await namespace.endpoints('new', [later])
    await eventually(async () => {
      const backends = await ramjet.admin(`/admin/backends?namespace=${namespace.name}`)
      expect(JSON.stringify(backends)).to.include(`"${later.address}:`)
    })
    await first?.stop()
    await proxy.goAway()
    expect((await change(ramjet, 'POST', { body: { digest: old } })).status).to.equal(200)
    for (let look = 0; look < 20; look += 1) expect((await ramjet.get(url)).from).to.equal('old-2')
    expect((await change(ramjet, 'DELETE')).status).to.equal(200)
    expect((await ramjet.get(url)).from).to.equal('new-2')
    await proxy.comeBack()
  })

  it('needs a token where there is one, and loopback where there is none', async () => {
    const ramjet = await stage.start(guarded)
    const open = await stage.start()
    const body = { generation: 1 }
    expect((await change(ramjet, 'POST', { body, token: null })).status).to.equal(401)
    expect((await change(ramjet, 'POST', { body, token: 'wrong' })).status).to.equal(401)
    const refused = await change(open, 'POST', { body, token: null })
    expect(refused.status).to.equal(403)
    expect(refused.document['detail']).to.include('--admin-token-file')
    const target = { address: ramjet.address, port: ADMIN_PORT, host: ramjet.address, path: '/admin/rollback' }
    const headers = { Authorization: `Bearer ${TOKEN}`, Origin: 'https://evil.example' }
    expect((await ask(target, { method: 'POST', headers, body: JSON.stringify(body) })).status).to.equal(403)
  })

  it('reaches every replica by the digest, done by the one that was asked (R30-19)', async () => {
    const { namespace } = stage
    const asked = await stage.start(guarded)
    const url = `http://${namespace.host('shop')}/`
    for (const name of ['old', 'new', 'newest']) await namespace.service(name)
    await lead(asked, 'newest')
    const other = await stage.start(guarded)
    // As the admin API lists them: by name, and 10 is before 9 there.
    const replicas = [asked, other].toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))
    await namespace.applyGlobal(adminSlice(replicas))
    const old = await lead(asked, 'old')
    await other.serves(url, 'old')
    await lead(asked, 'new')
    await other.serves(url, 'new')
    // Each counts for itself: the same digest has another number on each.
    expect((await history(asked)).serving).to.not.equal((await history(other)).serving)
    await eventually(async () => expect(await namesOf(asked)).to.deep.equal(replicas.map(nameOf)))

    const pinned = await change(asked, 'POST', { body: { digest: old, all: true } })
    expect(outcomesOf(pinned)).to.deep.equal(replicas.map((ramjet) => `${nameOf(ramjet)} pinned`))
    for (const ramjet of replicas) {
      await ramjet.serves(url, 'old')
      expect(await servedDigest(ramjet)).to.equal(old)
    }
    const relayed = (await asked.admin(`/admin/replicas/${nameOf(other)}/generations`)) as History
    expect(relayed).to.deep.equal(await history(other))

    const released = await change(asked, 'DELETE', { path: '/admin/rollback?all=true' })
    expect(outcomesOf(released)).to.deep.equal(replicas.map((ramjet) => `${nameOf(ramjet)} released`))
    for (const ramjet of replicas) await ramjet.serves(url, 'new')

    // The asked one had a generation before the other came: that one is told of, and nothing is undone.
    const mine = (await history(asked)).generations.at(-1)?.digest
    const partly = await change(asked, 'POST', { body: { digest: mine, all: true } })
    expect(outcomesOf(partly)).to.have.members([`${nameOf(asked)} pinned`, `${nameOf(other)} unknown`])
    await other.serves(url, 'new')
  })
})

function nameOf({ address }: Ramjet): string {
  return `ramjet-${address.replaceAll('.', '-')}`
}

function close(server: Server): void {
  server.closeAllConnections()
  server.close()
}

/** What `ramjet` wrote about our classes. */
async function eventsOfClasses(ramjet: Ramjet): Promise<readonly ClassEvent[]> {
  const list = await theCluster().admin.request('GET', '/apis/events.k8s.io/v1/namespaces/default/events')
  const { items } = list as { readonly items: readonly ClassEvent[] }
  const isOurs = ({ reportingInstance, regarding }: ClassEvent): boolean =>
    reportingInstance === nameOf(ramjet) && regarding.kind === 'IngressClass'
  return items.filter(isOurs)
}

function outcomesOf({ status, document }: Reply): readonly string[] {
  expect(status).to.equal(200)
  const replicas = document['replicas'] as readonly { readonly name: string; readonly outcome: string }[]
  return replicas.map(({ name, outcome }) => `${name} ${outcome}`)
}

/** The slice that the Service ramjet-admin of an installation has. */
function adminSlice(replicas: readonly Ramjet[]): KubeObject {
  const { namespace } = RAMJET_ACCOUNT
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: { name: 'ramjet-admin-test', namespace, labels: { 'kubernetes.io/service-name': 'ramjet-admin' } },
    addressType: 'IPv4',
    ports: [{ name: 'admin', port: ADMIN_PORT, protocol: 'TCP' }],
    endpoints: replicas.map((ramjet) => ({
      addresses: [ramjet.address],
      conditions: { ready: true },
      targetRef: { kind: 'Pod', namespace, name: nameOf(ramjet) },
    })),
  }
}

async function namesOf(ramjet: Ramjet): Promise<readonly string[]> {
  const { replicas } = (await ramjet.admin('/admin/replicas')) as {
    readonly replicas: readonly { readonly name: string }[]
  }
  return replicas.map(({ name }) => name)
}

async function history(ramjet: Ramjet): Promise<History> {
  return (await ramjet.admin('/admin/generations')) as History
}

/** The digest of what serves. */
async function servedDigest(ramjet: Ramjet): Promise<string> {
  return ((await ramjet.admin('/admin/routes?limit=1')) as { readonly digest: string }).digest
}

async function change(
  { address }: Ramjet,
  method: 'POST' | 'DELETE',
  { path = '/admin/rollback', body, token = TOKEN }: { path?: string; body?: unknown; token?: string | null } = {},
): Promise<Reply> {
  const target = { address, port: ADMIN_PORT, host: address, path }
  const headers = token === null ? {} : { Authorization: `Bearer ${token}` }
  const text = body === undefined ? {} : { body: JSON.stringify(body) }
  const { status, body: answered } = await ask(target, { method, headers, ...text })
  return { status, document: JSON.parse(answered) as Reply['document'] }
}
