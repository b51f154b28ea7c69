// Installs that watch a part of the cluster (R50-8, R50-21).
import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { userOf } from '../../hack/cluster/identity.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { narrowedRbac } from '../../hack/rbac/objects.ts'
import { refusalsOf } from './support/audit.ts'
import { theCluster } from './support/cluster.ts'
import { Ramjet } from './support/ramjet.ts'
import { untilReader } from './support/rbac.ts'
import { namespaceForEach, scene } from './support/scene.ts'

describe('an install that selects namespaces by their labels', () => {
  const stage = scene({ flags: ['--namespace-selector=ramjet-test=served,!hidden'] })

  async function label(labels: Readonly<Record<string, string | null>>): Promise<void> {
    const { name } = stage.namespace
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }
    await theCluster().admin.patch(namespace, { metadata: { labels } })
  }

  it('serves a namespace from the moment that its labels match, and not after they no longer do', async () => {
    const { ramjet, namespace } = stage
    const url = `http://${namespace.host('shop')}/`
    await namespace.service('web')
    await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
    expect((await ramjet.get(url)).from).to.equal('404')
    await label({ 'ramjet-test': 'served' })
    await ramjet.serves(url, 'web')
    await label({ hidden: 'yes' })
    await ramjet.serves(url, '404')
    await label({ hidden: null })
    await ramjet.serves(url, 'web')
  })

  it('judges an Ingress that comes to a namespace that is selected already', async () => {
    const { ramjet, namespace } = stage
    await label({ 'ramjet-test': 'served' })
    await namespace.service('web')
    await namespace.ingress('late', { [namespace.host('late')]: { '/': 'web' } })
    await ramjet.serves(`http://${namespace.host('late')}/`, 'web')
  })
})

describe('an install with Roles in one namespace', () => {
  const namespace = namespaceForEach()

  it('serves that one, and asks for nothing that it was not granted', async () => {
    const { admin } = theCluster()
    const account = { namespace: namespace().name, name: `narrow-${namespace().name}` }
    await admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what we wrote are objects
    const objects = loadAll(narrowedRbac([namespace().name], account)) as KubeObject[]
    for (const object of objects) await namespace().applyGlobal(object)
    await untilReader(theCluster(), account, namespace().name)
    const flags = [`--watch-namespace=${namespace().name}`]
    const ramjet = await Ramjet.start(theCluster(), { account, flags, env: { POD_NAMESPACE: account.namespace } })
    try {
      const url = `http://${namespace().host('shop')}/`
      await namespace().service('web')
      await namespace().ingress('shop', { [namespace().host('shop')]: { '/': 'web' } })
      await ramjet.serves(url, 'web')
      await namespace().deleteIngress('shop')
      await ramjet.serves(url, '404')
      expect(refusalsOf(theCluster().auditLog, userOf(account))).to.deep.equal([])
    } finally {
      await ramjet.stop()
    }
  })
})
