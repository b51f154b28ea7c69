// The account of config/rbac: what it may do is what is needed, and no more (R50-22, R90-20).
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { get } from 'node:https'
import { join } from 'node:path'
import { expect } from 'chai'
import { RAMJET_ACCOUNT, userOf, writeIdentity } from '../../hack/cluster/identity.ts'
import { kubectl } from '../../hack/cluster/install.ts'
import { GRANTS, type Grant } from '../../hack/rbac/table.ts'
import { answersTo, refusalsOf } from './support/audit.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { makeAccount, REQUIRED_KINDS, reader } from './support/rbac.ts'
import { scene } from './support/scene.ts'
import { TestNamespace } from './support/test-namespace.ts'

/** `GROUP/RESOURCE VERBS` of every rule of the installed role. */
async function rowsOf(kind: 'clusterrole' | 'role'): Promise<readonly string[]> {
  const place = ['-n', RAMJET_ACCOUNT.namespace, '-o', 'json']
  const { rules } = JSON.parse(await kubectl(theCluster(), ['get', kind, 'ramjet', ...place])) as {
    rules: { apiGroups: string[]; resources: string[]; verbs: string[] }[]
  }
  return rules.flatMap(({ apiGroups, resources, verbs }) =>
    resources.map((resource) => `${apiGroups.join()}/${resource} ${verbs.join()}`),
  )
}

function rowsOfGrant({ group, resources, verbs }: Grant): readonly string[] {
  return resources.map((resource) => `${group}/${resource} ${verbs.join()}`)
}

describe('the account of config/rbac', () => {
  const stage = scene()

  it('has exactly the rows of the table of permissions, each where it belongs (R50-22)', async () => {
    const own = GRANTS.filter(({ reach }) => reach === 'own')
    const others = GRANTS.filter(({ reach }) => reach !== 'own')
    expect(await rowsOf('clusterrole')).to.have.members(others.flatMap(rowsOfGrant))
    expect(await rowsOf('role')).to.have.members(own.flatMap(rowsOfGrant))
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
    for (const { resource } of REQUIRED_KINDS) {
      expect(answers.filter((line) => line.startsWith('200 list') && line.includes(`/${resource}?`))).to.not.deep.equal(
        [],
      )
    }
    expect(refusalsOf(theCluster().auditLog, user)).to.deep.equal([])
  })

  it('writes what the table of permissions lists, and nothing else', () => {
    const answers = answersTo(theCluster().auditLog, userOf(RAMJET_ACCOUNT))
    const writes = answers.filter((line) => !/^\d+ (get|list|watch) /.test(line))
    const others = writes.filter((line) => !line.includes('/selfsubjectaccessreviews'))
    const granted =
      /(patch|update|create) \S+\/(ingresses\/[^/]+(\/status)?|events(\/[^/]+)?|leases(\/[^/]+)?|classparameters\/[^/]+\/status)(\?|$)/
    expect(others.filter((line) => !granted.test(line))).to.deep.equal([])
  })
})

describe('an account that lacks one row of config/rbac', () => {
  let namespace: TestNamespace
  const lacking = new Map<string, Ramjet>()

  before('start one Ramjet for each row', async () => {
    namespace = await TestNamespace.create(theCluster())
    for (const { resource } of REQUIRED_KINDS) {
      const account = await makeAccount(theCluster(), namespace, `lacks-${resource}`, resource)
      lacking.set(resource, await Ramjet.spawn(theCluster(), { workers: 1, account, tunables: { askAgainMs: 1000 } }))
    }
  })

  after('stop them', async () => {
    for (const ramjet of lacking.values()) await ramjet.stop()
    await namespace.remove()
  })

  const readinessWithout = async (resource: string): Promise<{ readonly status: number; readonly body: string }> =>
    (await lacking.get(resource)?.readiness()) ?? { status: 0, body: '' }

  for (const { resource } of REQUIRED_KINDS) {
    it(`keeps Ramjet unready without ${resource}, and is told so with verb and kind (R30-48)`, async () => {
      await eventually(async () => {
        const { status, body } = await readinessWithout(resource)
        expect(status).to.equal(503)
        expect(body).to.match(new RegExp(`\\b(list|watch) ${resource}\\b`))
      })
    })
  }

  it('is found in the audit log with what it was refused, which is where a refusal of ours would be', async () => {
    const account = { namespace: namespace.name, name: `lacks-services-${namespace.name}` }
    const identity = await writeIdentity(theCluster(), account)
    const authorization = `Bearer ${readFileSync(join(identity, 'token'), 'utf8')}`
    const options = { ca: readFileSync(join(identity, 'ca.crt')), headers: { authorization }, agent: false }
    const url = `${theCluster().url}/api/v1/namespaces/${namespace.name}/services`
    const [response] = (await once(get(url, options), 'response')) as [IncomingMessage]
    response.resume()
    expect(response.statusCode).to.equal(403)
    await eventually(() => {
      const refused = refusalsOf(theCluster().auditLog, userOf(account))
      expect(refused).to.include(`403 list /api/v1/namespaces/${namespace.name}/services`)
    })
  })

  it('heals without a restart when the rows are granted (R50-22)', async () => {
    for (const { resource } of REQUIRED_KINDS)
      await namespace.applyGlobal(reader(`lacks-${resource}-${namespace.name}`))
    for (const { resource } of REQUIRED_KINDS) {
      await eventually(async () => expect((await readinessWithout(resource)).status).to.equal(200))
    }
  })
})
