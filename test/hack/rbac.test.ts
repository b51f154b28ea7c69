import { expect } from 'chai'
import { loadAll } from 'js-yaml'
import { staleFiles } from '../../hack/generated-file.ts'
import { narrowedRbac, rbacFiles } from '../../hack/rbac/objects.ts'
import { GRANTS, isWriting } from '../../hack/rbac/table.ts'

interface RoleObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly rules?: readonly { readonly resources: readonly string[]; readonly verbs: readonly string[] }[]
}

function objectsIn(text: string): readonly RoleObject[] {
  return loadAll(text) as RoleObject[]
}

describe('the table of permissions', () => {
  it('is what config/rbac grants', () => {
    expect(staleFiles(rbacFiles()).map(({ file }) => file)).to.deep.equal([])
  })

  it('gives a read-only install no row that writes (R50-20)', () => {
    const text = rbacFiles().find(({ file }) => file.includes('read-only'))?.text ?? ''
    const verbs = objectsIn(text).flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.verbs))
    expect(new Set(verbs)).to.deep.equal(new Set(['get', 'list', 'watch']))
  })

  it('never grants deletion, nor anything on all resources', () => {
    for (const { verbs, resources } of GRANTS) {
      expect(verbs).to.not.include('delete')
      expect(resources.join()).to.not.include('*')
    }
    expect(GRANTS.filter(isWriting)).to.not.have.length(0)
  })

  describe('for an install that watches two namespaces (R50-21)', () => {
    const objects = objectsIn(narrowedRbac(['shop', 'blog']))

    it('leaves nothing cluster-wide but kinds without a namespace', () => {
      const everywhere = objects.filter(({ kind }) => kind === 'ClusterRole')
      const resources = everywhere.flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.resources))
      expect(resources).to.have.members(['ingressclasses', 'namespaces', 'nodes'])
    })

    it('has a Role with its binding in each of them', () => {
      const places = objects.filter(({ metadata }) => metadata.name === 'ramjet-watched')
      expect(places.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).to.have.members([
        'Role shop',
        'RoleBinding shop',
        'Role blog',
        'RoleBinding blog',
      ])
    })

    it('reads its own Services, their endpoints and the Secrets of its flags, and leads, in its own namespace alone', () => {
      const own = objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'ramjet-system')
      const resources = own.flatMap(({ rules = [] }) => rules.flatMap((rule) => rule.resources))
      expect(resources).to.have.members(['services', 'endpointslices', 'secrets', 'leases'])
    })
  })
})
