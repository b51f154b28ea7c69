// Ready means that every worker serves what the cluster says; before that no traffic port is open.
import { expect } from 'chai'
import { freePort } from '../../hack/cluster/free-port.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { Relay } from './support/relay.ts'
import { namespaceForEach } from './support/scene.ts'

const WORKERS = 4
const CONNECTIONS = 100

describe('readiness', () => {
  const namespace = namespaceForEach()
  let relay: Relay
  let ramjet: Ramjet | undefined

  beforeEach(async () => {
    relay = await Relay.start(Number(new URL(theCluster().url).port))
  })

  afterEach(async () => {
    relay.release()
    await ramjet?.stop()
    await relay.stop()
  })

  const spawn = async (): Promise<Ramjet> => {
    ramjet = await Ramjet.spawn(theCluster(), { workers: WORKERS, flags: ['--kube-apiserver', relay.url] })
    return ramjet
  }

  const prepare = async (): Promise<string> => {
    const host = namespace().host('shop')
    await namespace().service('web')
    await namespace().ingress('shop', { [host]: { '/': 'web' } })
    return `http://${host}/`
  }

  it('is 503, names what is waited for and opens no traffic port until the lists are there (R30-47)', async () => {
    const url = await prepare()
    relay.hold()
    const waiting = await spawn()
    await eventually(async () => {
      const { status, body } = await waiting.readiness()
      expect(status).to.equal(503)
      expect(body).to.match(/ingresses/i)
    })
    const refused = await waiting.get(url).catch((error: NodeJS.ErrnoException) => error.code)
    expect(refused).to.equal('ECONNREFUSED')
    relay.release()
    await waiting.ready()
    expect((await waiting.get(url)).from).to.equal('web-1')
  })

  it('is 200 only when every worker answers right, on every connection (R30-47)', async () => {
    const url = await prepare()
    const starting = await spawn()
    await starting.ready()
    const burst = Array.from({ length: CONNECTIONS }, () => starting.get(url))
    const answers = (await Promise.all(burst)).map(({ from }) => from)
    expect(new Set(answers)).to.deep.equal(new Set(['web-1']))
    const { generation } = await starting.serving()
    const serving = Array.from({ length: WORKERS }, (_, worker) => ({ worker, state: 'serving', generation }))
    const workers = await starting.workers()
    expect(
      workers.map(({ worker, state, generation: served }) => ({ worker, state, generation: served })),
    ).to.deep.equal(serving)
    expect(generation).to.be.above(0)
  })

  it('stays 200, and traffic goes on, when the API server is lost; edits are taken up when it is back', async () => {
    const url = await prepare()
    const running = await spawn()
    await running.ready()
    relay.hold()
    relay.cut()
    await namespace().service('next')
    await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'next' } })
    for (let again = 0; again < 50; again += 1) expect((await running.get(url)).from).to.equal('web-1')
    expect((await running.readiness()).status).to.equal(200)
    relay.release()
    await eventually(async () => expect((await running.get(url)).from).to.equal('next-1'))
  })

  it('is 503 again from SIGTERM on, while the delay still takes connections (R30-47, R20-123)', async () => {
    const url = await prepare()
    ramjet = await Ramjet.start(theCluster(), { workers: 1, flags: ['--shutdown-grace', '5s'], shutdownDelay: '8s' })
    ramjet.process.signal('SIGTERM')
    await eventually(async () => expect((await ramjet?.readiness())?.status).to.equal(503))
    expect((await ramjet.get(url)).from).to.equal('web-1')
    expect(await ramjet.process.ended).to.equal(0)
  })
})

describe('a start that cannot work', () => {
  it('says what is wrong and ends with 1 when a listener cannot be bound (R20-25)', async () => {
    const taken = `127.0.0.1:${await freePort()}`
    const first = await Ramjet.start(theCluster(), { workers: 1, flags: ['--http', taken] })
    const second = await Ramjet.spawn(theCluster(), { workers: 1, flags: ['--http', taken] })
    try {
      expect(await second.process.ended).to.equal(1)
      expect(second.process.tail()).to.include(taken)
    } finally {
      await first.stop()
      await second.stop()
    }
  })
})
