import { expect } from 'chai'
import { RAMJET_ACCOUNT, type ServiceAccountRef, userOf } from '../../hack/cluster/identity.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { answersTo, refusalsOf } from './support/audit.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { untilDecided, untilReader } from './support/rbac.ts'
import { namespaceForEach } from './support/scene.ts'

const RBAC = 'rbac.authorization.k8s.io'

/** Binds an account to what config/ grants: a namespace that ends refuses it, and ours must meet no refusal. */
function binding(kind: 'ClusterRole' | 'Role', account: ServiceAccountRef): KubeObject {
  const place = kind === 'Role' ? { namespace: RAMJET_ACCOUNT.namespace } : {}
  return {
    apiVersion: `${RBAC}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: account.name, ...place },
    roleRef: { apiGroup: RBAC, kind, name: 'ramjet' },
    subjects: [{ kind: 'ServiceAccount', ...account }],
  }
}

describe('a namespace that is being deleted', () => {
  const ended = namespaceForEach()
  const home = namespaceForEach()

  it('is served until its objects go, and nothing is asked twice that it forbids (R70-98)', async () => {
    const namespace = ended()
    const account = { namespace: home().name, name: `ending-${home().name}` }
    await theCluster().admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
    for (const kind of ['ClusterRole', 'Role'] as const) await home().applyGlobal(binding(kind, account))
    await untilReader(theCluster(), account, namespace.name)
    const leases = { group: 'coordination.k8s.io', resource: 'leases', namespace: RAMJET_ACCOUNT.namespace }
    await untilDecided(theCluster(), account, { ...leases, verb: 'create' }, true)
    const ramjet = await Ramjet.start(theCluster(), { account })
    try {
      const url = `http://${namespace.host('shop')}/`
      await namespace.service('web')
      await namespace.ingress('shop', { [namespace.host('shop')]: { '/': 'web' } })
      await ramjet.serves(url, 'web')
      await theCluster().admin.request('DELETE', `/api/v1/namespaces/${namespace.name}`)
      const dropped = (await ramjet.metric('ramjet_events_dropped_total')) ?? 0
      await namespace.annotate('shop', { 'ramjet.dev/rewrite-targt': '/x' })
      await eventually(async () => {
        const reasons = (await ramjet.warnings(namespace.name)).map(({ reason }) => reason)
        expect(reasons).to.include('UnknownAnnotation')
        expect(await ramjet.metric('ramjet_events_dropped_total')).to.be.greaterThan(dropped)
      })
      await ramjet.serves(url, 'web')
      await namespace.deleteIngress('shop')
      await ramjet.serves(url, '404')
      const path = `/namespaces/${namespace.name}/events`
      // Before its end it takes Events, such as one about a Service that is not known yet.
      const refused = answersTo(theCluster().auditLog, userOf(account)).filter(
        (line) => line.includes(path) && !line.startsWith('201 '),
      )
      expect(refused).to.have.length(1)
      expect(refused[0]).to.match(/^403 /)
      // Its rights did allow it.
      expect(refusalsOf(theCluster().auditLog, userOf(account))).to.deep.equal([])
    } finally {
      await ramjet.stop()
    }
  })
})
