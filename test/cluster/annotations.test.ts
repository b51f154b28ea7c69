// Timeouts, sizes and rewriting by annotations, stored by the API server and asked over sockets.
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'

describe('annotations on a real API server', () => {
  const stage = scene()

  it('R11-46, R11-43: a path is rewritten by its captures, and the pod hears of the prefix', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('api')
    await namespace.service('web')
    const annotations = { [`${NGINX}rewrite-target`]: '/$2', [`${NGINX}x-forwarded-prefix`]: '/api' }
    await namespace.ingress('web', { [host]: { 'ImplementationSpecific /api(/|$)(.*)': 'web' } }, { annotations })
    const answer = await ramjet.serves(`http://${host}/api/v1/a?b=/api/c`, 'web')
    expect(answer.echo?.target).to.equal('/v1/a?b=/api/c')
    expect(answer.echo?.headers).to.deep.include(['X-Forwarded-Prefix', '/api'])
    expect((await ramjet.get(`http://${host}/api`)).echo?.target).to.equal('/')
  })

  it('R11-154: ramjet.dev/rewrite-target keeps what lies behind a Prefix', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web')
    const annotations = { 'ramjet.dev/rewrite-target': '/v2' }
    await namespace.ingress('web', { [host]: { '/shop': 'web' } }, { annotations })
    const answer = await ramjet.serves(`http://${host}/shop/cart`, 'web')
    expect(answer.echo?.target).to.equal('/v2/cart')
  })

  it('R11-48: app-root sends a client that asks for / alone', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('root')
    await namespace.service('web')
    await namespace.ingress('web', { [host]: { '/': 'web' } }, { annotations: { [`${NGINX}app-root`]: '/app' } })
    await ramjet.serves(`http://${host}/app`, 'web')
    const { status, headers } = await ramjet.get(`http://${host}/`)
    expect([status, headers.location?.endsWith('/app')]).to.deep.equal([302, true])
  })

  it('R11-44: an alias has the routes of its host, and gives way to a rule', async () => {
    const { ramjet, namespace } = stage
    const [host, alias] = [namespace.host('a'), namespace.host('b')]
    await namespace.service('web')
    await namespace.service('other')
    await namespace.ingress('web', { [host]: { '/': 'web' } }, { annotations: { [`${NGINX}server-alias`]: alias } })
    await ramjet.serves(`http://${alias}/x`, 'web')
    await namespace.ingress('other', { [alias]: { '/': 'other' } })
    await ramjet.serves(`http://${alias}/x`, 'other')
    const [told] = await ramjet.warnings(namespace.name)
    expect(told).to.include({ reason: 'AnnotationConflict', field: `${NGINX}server-alias` })
    await namespace.deleteIngress('other')
    await ramjet.serves(`http://${alias}/x`, 'web')
  })

  it('R11-44: thousands of aliases of a host with many patterns hold up nobody else', async () => {
    const { ramjet, namespace } = stage
    const [host, other] = [namespace.host('many'), namespace.host('beside')]
    await namespace.service('web')
    await namespace.ingress('beside', { [other]: { '/': 'web' } })
    await ramjet.serves(`http://${other}/`, 'web')
    const aliases = Array.from({ length: 2000 }, (_, index) => `a${index.toString(36)}.io`)
    const patterns = Array.from({ length: 300 }, (_, index) => [`ImplementationSpecific /p${index}[a-z]+`, 'web'])
    const annotations = { [`${NGINX}server-alias`]: aliases.join(',') }
    await namespace.ingress('many', { [host]: Object.fromEntries(patterns) }, { annotations })
    await ramjet.serves(`http://${aliases[255]}/p299abc`, 'web')
    expect((await ramjet.get(`http://${aliases[256]}/p299abc`)).status).to.equal(404)
    await ramjet.serves(`http://${other}/`, 'web')
    for (const reason of ['exception', 'stall', 'memory', 'exit', 'publish']) {
      expect((await ramjet.metric(`ramjet_worker_restarts_total{reason="${reason}"}`)) ?? 0, reason).to.equal(0)
    }
  })

  it('R11-61, R11-62: a response timeout and a body limit are those of their Ingress', async () => {
    const { ramjet, namespace } = stage
    const [tight, loose] = [namespace.host('tight'), namespace.host('loose')]
    await namespace.service('web')
    const annotations = { [`${NGINX}proxy-read-timeout`]: '1', [`${NGINX}proxy-body-size`]: '1k' }
    await namespace.ingress('tight', { [tight]: { '/': 'web' } }, { annotations })
    await namespace.ingress('loose', { [loose]: { '/': 'web' } })
    await ramjet.serves(`http://${tight}/`, 'web')
    await ramjet.serves(`http://${loose}/`, 'web')
    const asked = [tight, loose].map((host) => ramjet.get(`http://${host}/?delay=3000`))
    expect((await Promise.all(asked)).map(({ status }) => status)).to.deep.equal([504, 200])
    const post = { method: 'POST', body: 'x'.repeat(1025) }
    const posted = [tight, loose].map((host) => ramjet.get(`http://${host}/`, post))
    expect((await Promise.all(posted)).map(({ status }) => status)).to.deep.equal([413, 200])
  })

  it('R11-9: bad values are told, the route serves without them, and an edit heals it', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('bad')
    await namespace.service('web')
    const bad = {
      [`${NGINX}proxy-read-timeout`]: '1s',
      [`${NGINX}proxy-body-size`]: 'huge',
      [`${NGINX}rewrite-target`]: '/$uri',
    }
    await namespace.ingress('web', { [host]: { '/x': 'web' } }, { annotations: bad })
    const answer = await ramjet.serves(`http://${host}/x/y`, 'web')
    expect(answer.echo?.target).to.equal('/x/y')
    await eventually(async () => {
      const told = (await ramjet.warnings(namespace.name)).map(({ reason, field }) => `${reason} ${field}`)
      expect(told).to.have.members(Object.keys(bad).map((key) => `InvalidAnnotation ${key}`))
    })
    await namespace.annotate('web', { ...mapped(bad, null), [`${NGINX}rewrite-target`]: '/good' })
    await eventually(async () => {
      expect((await ramjet.get(`http://${host}/x/y`)).echo?.target).to.equal('/good')
      expect(await ramjet.warnings(namespace.name)).to.deep.equal([])
    })
  })
})

function mapped(record: Readonly<Record<string, string>>, value: null): Record<string, string | null> {
  return Object.fromEntries(Object.keys(record).map((key) => [key, value]))
}
