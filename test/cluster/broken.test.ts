// What the API server stores although it is broken (R90-38) harms itself and nothing else, also after a restart.
import { expect } from 'chai'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import type { Rules } from './support/ingress.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach, scene } from './support/scene.ts'
import type { TestNamespace } from './support/test-namespace.ts'

interface Kind {
  readonly title: string
  readonly reason: string
  readonly field: string
  readonly rules: (good: string) => Rules
}

const kinds: readonly Kind[] = [
  {
    title: 'an ImplementationSpecific path that is no regular expression',
    reason: 'InvalidRegex',
    field: 'spec.rules[0].http.paths[0].path',
    rules: (good) => ({ [good]: { 'ImplementationSpecific /a(': 'web', '/fine': 'web' } }),
  },
  {
    title: 'a path with malformed percent encoding',
    reason: 'InvalidPath',
    field: 'spec.rules[0].http.paths[0].path',
    rules: (good) => ({ [good]: { '/a%zz': 'web', '/fine': 'web' } }),
  },
  {
    title: 'a host with a label of 64 characters',
    reason: 'InvalidHost',
    field: 'spec.rules[0].host',
    rules: (good) => ({ [`${'x'.repeat(64)}.example`]: { '/': 'web' }, [good]: { '/fine': 'web' } }),
  },
]

/** Good Ingresses before and after the broken one, by age and by name. */
async function among(namespace: TestNamespace, broken: readonly Kind[]): Promise<void> {
  await namespace.service('web')
  await namespace.ingress('a-good', { [namespace.host('a')]: { '/': 'web' } })
  for (const [index, { rules }] of broken.entries()) {
    await namespace.ingress(`m-broken-${index}`, rules(namespace.host(`m${index}`)))
  }
  await namespace.ingress('z-good', { [namespace.host('z')]: { '/': 'web' } })
}

async function expectOnlyThatHarmed(ramjet: Ramjet, namespace: TestNamespace, broken: readonly Kind[]): Promise<void> {
  await ramjet.serves(`http://${namespace.host('z')}/`, 'web')
  await ramjet.serves(`http://${namespace.host('a')}/`, 'web')
  for (const index of broken.keys()) {
    await ramjet.serves(`http://${namespace.host(`m${index}`)}/fine`, 'web')
    await ramjet.serves(`http://${namespace.host(`m${index}`)}/a`, '404')
  }
  const found = (await ramjet.warnings(namespace.name)).map(
    ({ reason, object, field }) => `${object.kind} ${object.name} ${reason} ${field}`,
  )
  const told = broken.map(({ reason, field }, index) => `Ingress m-broken-${index} ${reason} ${field}`)
  expect(found).to.have.members(told)
}

describe('a broken Ingress among good ones', () => {
  const stage = scene()

  for (const kind of kinds) {
    it(`harms only itself: ${kind.title}`, async () => {
      const { ramjet, namespace } = stage
      await among(namespace, [kind])
      await expectOnlyThatHarmed(ramjet, namespace, [kind])
    })
  }

  it('arrives while good ones are asked, and none of them notices', async () => {
    const { ramjet, namespace } = stage
    await namespace.service('web')
    await namespace.ingress('a-good', { [namespace.host('a')]: { '/': 'web' } })
    await ramjet.serves(`http://${namespace.host('a')}/`, 'web')
    const traffic = await ramjet.traffic(`http://${namespace.host('a')}/`, 'web')
    await among(namespace, kinds)
    await expectOnlyThatHarmed(ramjet, namespace, kinds)
    await traffic.flow()
    expect(await traffic.stop()).to.deep.include({ wrong: [], lost: [] })
  })

  it('heals by its next edit', async () => {
    const { ramjet, namespace } = stage
    await among(namespace, kinds)
    await expectOnlyThatHarmed(ramjet, namespace, kinds)
    for (const index of kinds.keys()) {
      await namespace.ingress(`m-broken-${index}`, { [namespace.host(`m${index}`)]: { '/a': 'web' } })
    }
    for (const index of kinds.keys()) await ramjet.serves(`http://${namespace.host(`m${index}`)}/a`, 'web')
    await eventually(async () => expect(await ramjet.warnings(namespace.name)).to.deep.equal([]))
  })
})

describe('a restart with broken Ingresses in the cluster', () => {
  const namespace = namespaceForEach()

  it('is ready, serves the good ones and tells of the broken ones alone', async () => {
    await among(namespace(), kinds)
    for (let start = 0; start < 2; start += 1) {
      const ramjet = await Ramjet.start(theCluster())
      try {
        await expectOnlyThatHarmed(ramjet, namespace(), kinds)
      } finally {
        expect(await ramjet.stop()).to.equal(0)
      }
    }
  })
})
