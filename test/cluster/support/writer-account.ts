// Accounts of their own that may do what config/rbac grants, so that an audit log tells replicas apart, or all but one
// row of it, so that a test sees what is lost with that row.

import type { ServiceAccountRef } from '../../../hack/cluster/identity.ts'
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'
import { GRANTS, type Grant } from '../../../hack/rbac/table.ts'
import { type Asked, untilDecided } from './rbac.ts'
import type { TestNamespace } from './test-namespace.ts'

const RBAC = 'rbac.authorization.k8s.io/v1'

export interface WriterAccount {
  readonly ref: ServiceAccountRef
  /** Takes the grants away that `isMissing` names, and gives all the others; resolves when the API server goes by that. */
  grant(isMissing: (grant: Grant) => boolean): Promise<void>
}

/** An account in `namespace`, whose Lease is to lie there too, with every grant. */
export async function writerAccount(cluster: Cluster, namespace: TestNamespace, name: string): Promise<WriterAccount> {
  const ref = { namespace: namespace.name, name: `${name}-${namespace.name}` }
  await cluster.admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: ref })
  const account: WriterAccount = {
    ref,
    grant: async (isMissing) => {
      const kept = GRANTS.filter((grant) => !isMissing(grant))
      const [own, everywhere] = [
        kept.filter(({ reach }) => reach === 'own'),
        kept.filter(({ reach }) => reach !== 'own'),
      ]
      await namespace.applyGlobal(role('ClusterRole', { name: ref.name }, everywhere))
      await namespace.apply(role('Role', ref, own))
      await untilDecidedBy(cluster, ref, kept)
    },
  }
  await namespace.applyGlobal(binding('ClusterRole', { name: ref.name }, ref))
  await namespace.apply(binding('Role', ref, ref))
  await account.grant(() => false)
  return account
}

/** Asks for everything that is ever granted. */
async function untilDecidedBy(cluster: Cluster, ref: ServiceAccountRef, kept: readonly Grant[]): Promise<void> {
  for (const { group, resources, verbs } of GRANTS) {
    for (const resource of resources) {
      for (const verb of verbs) {
        const isAllowed = kept.some(
          (grant) => grant.group === group && grant.resources.includes(resource) && grant.verbs.includes(verb),
        )
        await untilDecided(cluster, ref, { ...asked(group, resource), verb, namespace: ref.namespace }, isAllowed)
      }
    }
  }
}

/** A part of a kind, such as `ingresses/status`, is named apart when one asks. */
function asked(group: string, resource: string): Pick<Asked, 'group' | 'resource' | 'subresource'> {
  const [name = '', subresource] = resource.split('/')
  return { group, resource: name, ...(subresource === undefined ? {} : { subresource }) }
}

type Kind = 'ClusterRole' | 'Role'
type Place = { readonly name: string; readonly namespace?: string }

function role(kind: Kind, metadata: Place, grants: readonly Grant[]): KubeObject {
  const rules = grants.map(({ group, resources, verbs }) => ({ apiGroups: [group], resources, verbs }))
  return { apiVersion: RBAC, kind, metadata, rules }
}

function binding(kind: Kind, metadata: Place, { namespace, name }: ServiceAccountRef): KubeObject {
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind, name }
  return {
    apiVersion: RBAC,
    kind: `${kind}Binding`,
    metadata,
    roleRef,
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  }
}
