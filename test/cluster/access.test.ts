// An annotation that decides who may get in and is not built yet closes all in its scope (R11-163).
import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'

const NGINX = 'nginx.ingress.kubernetes.io'

/** One of each family: basic and external auth, lists, client certificates, limits, upstream verification. */
const GUARDS: readonly (readonly [key: string, value: string])[] = [
  ['auth-type', 'basic'],
  ['auth-url', 'http://auth.example/check'],
  ['whitelist-source-range', '10.0.0.0/8'],
  ['denylist-source-range', '192.0.2.0/24'],
  ['auth-tls-secret', 'default/clients'],
  ['limit-rps', '5'],
  ['limit-connections', '10'],
  ['proxy-ssl-verify', 'on'],
]

describe('an access annotation that is not built', () => {
  const stage = scene()

  for (const [key, value] of GUARDS) {
    it(`${key}: answers 503, never reaches the pod, and is told in /admin/warnings`, async () => {
      const { ramjet, namespace } = stage
      const [host, open] = [namespace.host('guarded'), namespace.host('open')]
      const [pod] = await namespace.service('web')
      await namespace.ingress('open', { [open]: { '/': 'web' } })
      const annotations = { [`${NGINX}/${key}`]: value }
      await namespace.ingress('guarded', { [host]: { '/': 'web', '/deep': 'web' } }, { annotations })
      await ramjet.serves(`http://${host}/`, '503')
      await ramjet.serves(`http://${open}/`, 'web')
      const seen = pod?.requests
      expect((await ramjet.get(`http://${host}/deep/er`)).from).to.equal('503')
      expect((await ramjet.get(`http://${host}/`, { method: 'POST', body: 'x' })).from).to.equal('503')
      expect(pod?.requests).to.equal(seen)
      const told = (await ramjet.warnings(namespace.name)).filter(({ object }) => object.name === 'guarded')
      expect(told.map(({ reason, field }) => [reason, field])).to.deep.equal([['AccessRuleInvalid', `${NGINX}/${key}`]])
      expect(told[0]?.message).to.include(key)
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
    const annotations = { [`${NGINX}/proxy-read-timeout`]: '30', [`${NGINX}/proxy-raed-timeout`]: '30' }
    await namespace.ingress('shop', { [host]: { '/': 'web' } }, { annotations })
    await ramjet.serves(`http://${host}/`, 'web')
    const told = (await ramjet.warnings(namespace.name)).map(({ reason }) => reason)
    expect(told).to.have.members(['UnsupportedAnnotation', 'UnknownAnnotation'])
  })
})
