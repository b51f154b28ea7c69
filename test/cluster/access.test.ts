// An annotation that decides who may get in and is not built yet closes all in its scope (R11-163).
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

const NGINX = 'nginx.ingress.kubernetes.io'

/** What a guard closes (R11-15): the paths of its Ingress, its hosts, or its Service for everybody. */
type GuardScope = 'location' | 'host' | 'backend'

/** Of each family: basic and external auth, lists, limits, client certificates. */
const GUARDS: readonly (readonly [key: string, value: string, scope: GuardScope])[] = [
  ['auth-type', 'basic', 'location'],
  ['auth-url', 'http://auth.example/check', 'location'],
  ['whitelist-source-range', '10.0.0.0/8', 'location'],
  ['denylist-source-range', '192.0.2.0/24', 'location'],
  ['limit-rps', '5', 'location'],
  ['limit-connections', '10', 'location'],
  ['auth-tls-secret', 'default/clients', 'host'],
]

describe('an access annotation that is not built', () => {
  const stage = scene()

  for (const [key, value, scope] of GUARDS) {
    it(`${key}: closes its ${scope} and nothing else, never reaches the pod, and is told`, async () => {
      const { ramjet, namespace } = stage
      const [host, open] = [namespace.host('guarded'), namespace.host('open')]
      const [pod] = await namespace.service('web')
      await namespace.service('other')
      await namespace.ingress('open', { [host]: { '/same-host': 'other' }, [open]: { '/': 'other', '/web': 'web' } })
      const annotations = { [`${NGINX}/${key}`]: value }
      await namespace.ingress('guarded', { [host]: { '/': 'web', '/deep': 'web' } }, { annotations })
      await ramjet.serves(`http://${open}/`, 'other')
      await ramjet.serves(`http://${host}/`, '503')
      await ramjet.serves(`http://${host}/same-host`, scope === 'host' ? '503' : 'other')
      await ramjet.serves(`http://${open}/web`, scope === 'backend' ? '503' : 'web')
      const seen = pod?.requests
      await ramjet.serves(`http://${host}/deep/er`, '503')
      expect((await ramjet.get(`http://${host}/`, { method: 'POST', body: 'x' })).from).to.equal('503')
      expect(pod?.requests).to.equal(seen)
      const told = (await ramjet.warnings(namespace.name)).filter(({ object }) => object.name === 'guarded')
      expect(told.map(({ reason, field }) => [reason, field])).to.deep.equal([['AccessRuleInvalid', `${NGINX}/${key}`]])
      expect(told[0]?.message).to.include('not in this build')
    })
  }

  it('serves again as soon as the annotation is taken away, and closes when it is put on', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    const key = `${NGINX}/auth-type`
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    await ramjet.serves(url, 'web')
    await namespace.annotate('shop', { [key]: 'basic' })
    await ramjet.serves(url, '503')
    await namespace.annotate('shop', { [key]: null })
    await ramjet.serves(url, 'web')
    await eventually(async () => expect(await ramjet.warnings(namespace.name)).to.deep.equal([]))
  })

  it('one that guards nothing is told and the route serves', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web')
    const annotations = { [`${NGINX}/enable-cors`]: 'true', 'ramjet.dev/endpoint-falback': 'cluster-dns' }
    await namespace.ingress('shop', { [host]: { '/': 'web' } }, { annotations })
    await ramjet.serves(`http://${host}/`, 'web')
    const told = await ramjet.warnings(namespace.name)
    expect(told.map(({ reason }) => reason)).to.have.members(['UnsupportedAnnotation', 'UnknownAnnotation'])
    const unknown = told.find(({ reason }) => reason === 'UnknownAnnotation')
    expect(unknown?.message).to.include('ramjet.dev/endpoint-fallback')
  })
})
