// Balancing and health, end to end: annotations that the API server stores, pods that fall ill and get well.
import { expect } from 'chai'
import { service } from '../../hack/cluster/objects.ts'
import { eventually } from './support/eventually.ts'
import type { Ramjet } from './support/ramjet.ts'
import { reasonsIn } from './support/rows.ts'
import { scene } from './support/scene.ts'

const BALANCE = 'nginx.ingress.kubernetes.io/load-balance'
const CHECKS = {
  'ramjet.dev/health-check-path': '/healthz',
  'ramjet.dev/health-check-interval': '100ms',
  'ramjet.dev/health-check-timeout': '5s',
  'ramjet.dev/health-check-unhealthy': '2',
}

describe('balancing and health, end to end', () => {
  const stage = scene()

  /** The pods that answer `count` requests, each on a connection of its own. */
  async function podsOf(url: string, count: number, headers: Readonly<Record<string, string>> = {}): Promise<string[]> {
    const pods = new Set<string>()
    for (let turn = 0; turn < count; turn += 1) pods.add((await stage.ramjet.get(url, { headers })).from)
    return [...pods].toSorted()
  }

  async function answeredBy(url: string, ...pods: readonly string[]): Promise<void> {
    await eventually(async () => expect(await podsOf(url, 12)).to.deep.equal(pods))
  }

  it('R20-151: a pod that fails its checks gets no request, and is used again when it is well', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    const [, sick] = await namespace.service('web', 2)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } }, { annotations: CHECKS })
    await ramjet.serves(url, 'web')
    await answeredBy(url, 'web-1', 'web-2')

    const traffic = await ramjet.traffic(url, 'web')
    if (sick) sick.isWell = false
    await answeredBy(url, 'web-1')
    // One worker may hear of it a moment after another one.
    await eventually(async () => {
      const requests = sick?.requests
      await traffic.flow()
      expect(sick?.requests).to.equal(requests)
    })
    expect(await healthIn(ramjet, namespace.name)).to.deep.equal(['healthy', 'unhealthy'])
    if (sick) sick.isWell = true
    await answeredBy(url, 'web-1', 'web-2')
    expect(await healthIn(ramjet, namespace.name)).to.deep.equal(['healthy', 'healthy'])
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal([])
  })

  it('R20-152: where every pod fails its checks, all are used', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    const pods = await namespace.service('web', 2)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } }, { annotations: CHECKS })
    const [first, second] = pods
    await ramjet.serves(url, 'web')
    if (second) second.isWell = false
    await answeredBy(url, 'web-1')
    if (first) first.isWell = false
    await answeredBy(url, 'web-1', 'web-2')
  })

  it('an edit that takes the check away brings the pod back at once', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    const [, sick] = await namespace.service('web', 2)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } }, { annotations: CHECKS })
    await ramjet.serves(url, 'web')
    if (sick) sick.isWell = false
    await answeredBy(url, 'web-1')
    await namespace.annotate('shop', Object.fromEntries(Object.keys(CHECKS).map((key) => [key, null])))
    await answeredBy(url, 'web-1', 'web-2')
  })

  it('R11-30: edits of load-balance act, without one wrong or lost answer', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    await namespace.service('web', 3)
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    const traffic = await ramjet.traffic(url, 'web')
    for (const policy of ['ewma', 'leastConn', 'random', 'hash:$http_x_user', 'round_robin', 'hash:$http_x_user']) {
      await namespace.annotate('shop', { [BALANCE]: policy })
      await namespace.compiled(ramjet)
      await traffic.flow(50)
    }
    const byUser = new Map<string, string>()
    for (let user = 0; user < 40; user += 1) {
      const headers = { 'x-user': `user-${user}` }
      const [pod = '', ...others] = await podsOf(url, 3, headers)
      expect(others).to.deep.equal([])
      byUser.set(headers['x-user'], pod)
    }
    expect(new Set(byUser.values()).size).to.equal(3)
    await namespace.annotate('shop', { [BALANCE]: null })
    await answeredBy(url, 'web-1', 'web-2', 'web-3')
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('R11-9: bad values are told, and the route serves without them', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web', 2)
    const annotations = {
      [BALANCE]: 'fastest',
      'nginx.ingress.kubernetes.io/upstream-hash-by': '$request_id',
      'ramjet.dev/slow-start': 'soon',
      'ramjet.dev/health-check-path': 'no path',
      'ramjet.dev/health-check-interval': '5s',
    }
    await namespace.ingress('shop', { [host]: { '/': 'web' } }, { annotations })
    await ramjet.serves(`http://${host}/`, 'web')
    await answeredBy(`http://${host}/`, 'web-1', 'web-2')
    const told = await ramjet.warnings(namespace.name)
    expect(told.map(({ reason, field }) => `${reason} ${field}`)).to.have.members(
      Object.keys(annotations).map((key) => `InvalidAnnotation ${key}`),
    )
  })

  it('R11-15: of two Ingresses that share a Service port the older one says how', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web', 2)
    const rules = (label: string): Record<string, Record<string, string>> => ({
      [namespace.host(label)]: { '/': 'web' },
    })
    // Made in one second, their names decide who is older.
    await namespace.ingress('a', rules('a'), { annotations: { [BALANCE]: 'hash:$host' } })
    await namespace.ingress('b', rules('b'), { annotations: { [BALANCE]: 'random' } })
    await ramjet.serves(`http://${namespace.host('b')}/`, 'web')
    await namespace.compiled(ramjet)
    expect(await podsOf(`http://${namespace.host('b')}/`, 12)).to.have.length(1)
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['AnnotationConflict b'])
  })

  it('R50-17: a headless Service with a named targetPort answers 503 where its cluster IP is asked for', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('deep')
    const [pod] = await namespace.service('deep')
    const ports = [{ name: 'http', port: 80, protocol: 'TCP', targetPort: 'web' }]
    await namespace.apply({ ...service(namespace.name, 'far'), spec: { clusterIP: 'None', ports } })
    await namespace.endpoints('far', pod ? [pod] : [])
    await namespace.ingress('deep', { [host]: { '/': 'far' } })
    await ramjet.serves(`http://${host}/`, 'deep')
    await namespace.annotate('deep', { 'nginx.ingress.kubernetes.io/service-upstream': 'true' })
    await ramjet.serves(`http://${host}/`, '503')
    expect(await reasonsIn(ramjet, namespace)).to.deep.equal(['UnsupportedValue deep'])
    await namespace.annotate('deep', { 'nginx.ingress.kubernetes.io/service-upstream': null })
    await ramjet.serves(`http://${host}/`, 'deep')
  })
})

/** Health of the endpoints of the one backend in a namespace, as the admin API tells it. */
async function healthIn(ramjet: Ramjet, namespace: string): Promise<readonly string[]> {
  const document = (await ramjet.admin(`/admin/backends?namespace=${namespace}`)) as {
    readonly backends: readonly { readonly endpoints: readonly { readonly health: string }[] }[]
  }
  return document.backends.flatMap(({ endpoints }) => endpoints.map(({ health }) => health)).toSorted()
}
