// Accounts with the reading rows of config/rbac, or with all of them but one.
import type { ServiceAccountRef } from '../../../hack/cluster/identity.ts'
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'
import { eventually } from './eventually.ts'
import type { TestNamespace } from './test-namespace.ts'

export const READ: readonly string[] = ['get', 'list', 'watch']

/** What Ramjet must be able to read (R30-48). */
export const REQUIRED_KINDS = [
  { apiGroup: 'networking.k8s.io', resource: 'ingresses' },
  { apiGroup: 'networking.k8s.io', resource: 'ingressclasses' },
  { apiGroup: '', resource: 'services' },
  { apiGroup: 'discovery.k8s.io', resource: 'endpointslices' },
] as const

export type RequiredKind = (typeof REQUIRED_KINDS)[number]['resource']

/** A ClusterRole that reads the required kinds; `without` names one that it does not. */
export function reader(name: string, without?: RequiredKind): KubeObject {
  const granted = REQUIRED_KINDS.filter(({ resource }) => resource !== without)
  const rules = granted.map(({ apiGroup, resource }) => ({ apiGroups: [apiGroup], resources: [resource], verbs: READ }))
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules }
}

/**
 * Makes a ServiceAccount in `namespace`, bound to a `reader` of the same name: `NAME-NAMESPACE`. Applying that reader
 * anew changes what the account may.
 */
export async function makeAccount(
  cluster: Cluster,
  namespace: TestNamespace,
  name: string,
  without?: RequiredKind,
): Promise<ServiceAccountRef> {
  const account = { namespace: namespace.name, name: `${name}-${namespace.name}` }
  await cluster.admin.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account })
  await namespace.applyGlobal(reader(account.name, without))
  await namespace.applyGlobal(binding(account))
  await untilReader(cluster, account, namespace.name, without)
  return account
}

/** One thing that an account does to a kind, anywhere or in one namespace. */
export interface Asked {
  readonly group: string
  readonly resource: string
  /** Such as `status`. */
  readonly subresource?: string
  readonly verb: string
  readonly namespace?: string
}

/**
 * Resolves when the API server lets `account` do that, or no longer does: what was applied to rules holds only once the
 * server's own watch has told it.
 */
export async function untilDecided(
  { admin }: Cluster,
  { namespace, name }: ServiceAccountRef,
  asked: Asked,
  isAllowed: boolean,
): Promise<void> {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated']
  const spec = { user: `system:serviceaccount:${namespace}:${name}`, groups, resourceAttributes: asked }
  const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec }
  await eventually(async () => {
    const path = '/apis/authorization.k8s.io/v1/subjectaccessreviews'
    const { status } = (await admin.request('POST', path, { body })) as {
      readonly status: { readonly allowed: boolean }
    }
    if (status.allowed !== isAllowed)
      throw new Error(`${name} may ${isAllowed ? 'not ' : ''}${asked.verb} ${asked.resource}`)
  })
}

/** Resolves when the API server lets `account` read the required kinds in a namespace; `without`: and that one not. */
export async function untilReader(
  cluster: Cluster,
  account: ServiceAccountRef,
  namespace: string,
  without?: RequiredKind,
): Promise<void> {
  for (const { apiGroup: group, resource } of REQUIRED_KINDS) {
    for (const verb of READ)
      await untilDecided(cluster, account, { group, resource, verb, namespace }, resource !== without)
  }
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
