// The account of config/rbac: what it may do is what is needed, and no more (R50-22, R90-20).
import { expect } from 'chai'
import { RAMJET_ACCOUNT, type ServiceAccountRef, userOf } from '../../hack/cluster/identity.ts'
import { kubectl } from '../../hack/cluster/install.ts'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { answersTo, refusalsOf } from './support/audit.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { scene } from './support/scene.ts'
import { TestNamespace } from './support/test-namespace.ts'

const READ = ['get', 'list', 'watch']
const KINDS = [
  { apiGroup: 'networking.k8s.io', resource: 'ingresses' },
  { apiGroup: 'networking.k8s.io', resource: 'ingressclasses' },
  { apiGroup: '', resource: 'services' },
  { apiGroup: 'discovery.k8s.io', resource: 'endpointslices' },
] as const

function role(name: string, without: string): KubeObject {
  const granted = KINDS.filter(({ resource }) => resource !== without)
  const rules = granted.map(({ apiGroup, resource }) => ({ apiGroups: [apiGroup], resources: [resource], verbs: READ }))
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules }
}

function binding({ namespace, name }: ServiceAccountRef): KubeObject {
  return {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
}

describe('the account of config/rbac', () => {
  const stage = scene()

  it('has exactly the reading rows', async () => {
    const all = await kubectl(theCluster(), ['get', 'clusterrole', 'ramjet', '-o', 'json'])
    const { rules } = JSON.parse(all) as {
      rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
    }
    const rows = rules.flatMap(({ apiGroups, resources, verbs }) =>
      resources.map((resource) => `${apiGroups.join()}/${resource} ${verbs.join()}`),
    )
    expect(rows).to.have.members(KINDS.map(({ apiGroup, resource }) => `${apiGroup}/${resource} ${READ.join()}`))
  })

  it('meets no 403 in a run with every kind of change', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web', 2)
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')
    await namespace.deleteIngress('shop')
    await ramjet.serves(`http://${host}/`, '404')
    const user = userOf(RAMJET_ACCOUNT)
    const answers = answersTo(theCluster().auditLog, user)
    for (const { resource } of KINDS) {
      expect(answers.filter((line) => line.startsWith('200 list') && line.includes(`/${resource}?`))).to.not.deep.equal(
        [],
      )
    }
    expect(refusalsOf(theCluster().auditLog, user)).to.deep.equal([])
  })

  it('never writes to the cluster', () => {
    const answers = answersTo(theCluster().auditLog, userOf(RAMJET_ACCOUNT))
    const writes = answers.filter((line) => !/^\d+ (get|list|watch) /.test(line))
    const others = writes.filter((line) => !line.includes('/selfsubjectaccessreviews'))
    expect(others).to.deep.equal([])
  })
})

describe('an account that lacks one row of config/rbac', () => {
  let namespace: TestNamespace
  const lacking = new Map<string, Ramjet>()

  // All four at once: a kind that is forbidden is asked for again each minute.
  before('start one Ramjet for each row', async () => {
    namespace = await TestNamespace.create(theCluster())
    for (const { resource } of KINDS) {
      const account = { namespace: namespace.name, name: `lacks-${resource}-${namespace.name}` }
      await theCluster().admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
      await namespace.applyGlobal(role(account.name, resource))
      await namespace.applyGlobal(binding(account))
      lacking.set(resource, await Ramjet.spawn(theCluster(), { workers: 1, account }))
    }
  })

  after('stop them', async () => {
    for (const ramjet of lacking.values()) await ramjet.stop()
    await namespace.remove()
  })

  const readinessWithout = async (resource: string): Promise<{ readonly status: number; readonly body: string }> =>
    (await lacking.get(resource)?.readiness()) ?? { status: 0, body: '' }

  for (const { resource } of KINDS) {
    it(`keeps Ramjet unready without ${resource}, and is told so with verb and kind (R30-48)`, async () => {
      await eventually(async () => {
        const { status, body } = await readinessWithout(resource)
        expect(status).to.equal(503)
        expect(body).to.match(new RegExp(`\\b(list|watch) ${resource}\\b`))
      }, 20_000)
    })
  }

  it('heals without a restart when the rows are granted (R50-22)', async function () {
    this.timeout(120_000)
    for (const { resource } of KINDS) {
      await namespace.applyGlobal(role(`lacks-${resource}-${namespace.name}`, 'nothing'))
    }
    for (const { resource } of KINDS) {
      await eventually(async () => expect((await readinessWithout(resource)).status).to.equal(200), 90_000)
    }
  })
})
