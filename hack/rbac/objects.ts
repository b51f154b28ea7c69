// The table of permissions as the objects that grant them.
import type { GeneratedFile } from '../generated-file.ts'
import { GRANTS, type Grant, isWriting, type Reach } from './table.ts'

/** Where Ramjet runs, and the account that it runs as; its roles have the name of the account. */
export interface Installation {
  readonly namespace: string
  readonly name: string
}

const DEFAULT: Installation = { namespace: 'ramjet-system', name: 'ramjet' }

/** The files of `config/rbac` and of the read-only component that the table makes. */
export function rbacFiles(): readonly GeneratedFile[] {
  const reading = GRANTS.filter((grant) => !isWriting(grant))
  return [
    {
      file: 'config/rbac/cluster-role.yaml',
      text: file(role('ClusterRole', DEFAULT.name, GRANTS.filter(isEverywhere))),
    },
    { file: 'config/rbac/cluster-role-binding.yaml', text: file(binding('ClusterRoleBinding', DEFAULT.name, DEFAULT)) },
    { file: 'config/rbac/role.yaml', text: file(role('Role', DEFAULT.name, ownGrants(), DEFAULT.namespace)) },
    {
      file: 'config/rbac/role-binding.yaml',
      text: file(binding('RoleBinding', DEFAULT.name, DEFAULT, DEFAULT.namespace)),
    },
    {
      file: 'config/components/read-only/cluster-role.yaml',
      text: file(role('ClusterRole', DEFAULT.name, reading.filter(isEverywhere))),
    },
  ]
}

/**
 * What an install that watches only `namespaces` needs in place of `config/rbac`: a Role in each, one for the Services
 * that Ramjet reads about itself, and cluster-wide the kinds that have no namespace (R50-21).
 */
export function narrowedRbac(namespaces: readonly string[], installation: Installation = DEFAULT): string {
  const { namespace: own, name } = installation
  const watched = GRANTS.filter(({ reach }) => reach === 'watched')
  const self = watched.filter(({ resources }) => resources.includes('services') || resources.includes('endpointslices'))
  const events = GRANTS.filter(({ resources }) => resources.includes('events'))
  return file(
    role(
      'ClusterRole',
      name,
      GRANTS.filter(({ reach }) => reach === 'cluster'),
    ),
    binding('ClusterRoleBinding', name, installation),
    role('Role', name, [...self, ...ownGrants()], own),
    binding('RoleBinding', name, installation, own),
    // Events about a class, which is in no namespace, lie in this one (R30-24).
    role('Role', `${name}-events`, events, 'default'),
    binding('RoleBinding', `${name}-events`, installation, 'default'),
    ...namespaces.flatMap((namespace) => [
      role('Role', `${name}-watched`, watched, namespace),
      binding('RoleBinding', `${name}-watched`, installation, namespace),
    ]),
  )
}

function ownGrants(): readonly Grant[] {
  return GRANTS.filter(({ reach }) => reach === 'own')
}

function isEverywhere({ reach }: Grant): boolean {
  const everywhere: readonly Reach[] = ['watched', 'cluster']
  return everywhere.includes(reach)
}

function file(...documents: readonly string[]): string {
  return `# Made from hack/rbac/table.ts by \`node hack/gen-rbac.ts\`. Edit that, not this.\n${documents.join('---\n')}`
}

function role(kind: 'ClusterRole' | 'Role', name: string, grants: readonly Grant[], namespace?: string): string {
  return `${head(kind, name, namespace)}rules:\n${grants.map(ruleText).join('')}`
}

function ruleText({ group, resources, verbs, why, without }: Grant): string {
  return `  # ${sentence(why)} Without it: ${without}.
  - apiGroups: [${group === '' ? '""' : group}]
    resources: [${resources.join(', ')}]
    verbs: [${verbs.join(', ')}]
`
}

function sentence(text: string): string {
  return `${text[0]?.toUpperCase()}${text.slice(1)}.`
}

function binding(
  kind: 'ClusterRoleBinding' | 'RoleBinding',
  name: string,
  account: Installation,
  namespace?: string,
): string {
  return `${head(kind, name, namespace)}roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ${kind === 'RoleBinding' ? 'Role' : 'ClusterRole'}
  name: ${name}
subjects:
  - kind: ServiceAccount
    name: ${account.name}
    namespace: ${account.namespace}
`
}

function head(kind: string, name: string, namespace?: string): string {
  const place = namespace === undefined ? '' : `\n  namespace: ${namespace}`
  return `apiVersion: rbac.authorization.k8s.io/v1\nkind: ${kind}\nmetadata:\n  name: ${name}${place}\n`
}
