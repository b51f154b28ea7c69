// Every permission that Ramjet has in a cluster, and why: the one source of config/rbac and of docs/rbac.md.

/** Where a permission is granted. */
export type Reach =
  /** In every namespace; in a narrowed install in those that are watched. */
  | 'watched'
  /** The kind has no namespace. */
  | 'cluster'
  /** In the namespace that Ramjet runs in. */
  | 'own'

export interface Grant {
  /** API group; empty for the core. */
  readonly group: string
  readonly resources: readonly string[]
  readonly verbs: readonly Verb[]
  readonly reach: Reach
  readonly why: string
  /** What happens without it. */
  readonly without: string
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch'

const READ: readonly Verb[] = ['get', 'list', 'watch']
const NOT_READY = 'not ready; the probe names verb and kind'

/** In the order in which they are written. */
export const GRANTS: readonly Grant[] = [
  {
    group: 'networking.k8s.io',
    resources: ['ingresses'],
    verbs: READ,
    reach: 'watched',
    why: 'routes',
    without: NOT_READY,
  },
  {
    group: 'networking.k8s.io',
    resources: ['ingressclasses'],
    verbs: READ,
    reach: 'cluster',
    why: 'which Ingresses are ours',
    without: NOT_READY,
  },
  { group: '', resources: ['services'], verbs: READ, reach: 'watched', why: 'backends', without: NOT_READY },
  {
    group: 'discovery.k8s.io',
    resources: ['endpointslices'],
    verbs: READ,
    reach: 'watched',
    why: 'endpoints, and the other replicas',
    without: NOT_READY,
  },
  {
    group: '',
    resources: ['secrets', 'configmaps'],
    verbs: READ,
    reach: 'watched',
    why: 'those that an object names, each watched by its name; of Secrets also all of the type `kubernetes.io/tls`, and never all there are',
    without: 'what names one is told that it is missing',
  },
  {
    group: '',
    resources: ['secrets'],
    verbs: READ,
    reach: 'own',
    why: 'those that `--default-tls-secret` and `--ticket-key-secret` name, each watched by its name',
    without: 'no default certificate but a self-signed one; each replica makes ticket keys of its own',
  },
  {
    group: '',
    resources: ['namespaces'],
    verbs: READ,
    reach: 'cluster',
    why: 'labels, for `--namespace-selector`',
    without: 'a selector matches nothing',
  },
  {
    group: '',
    resources: ['nodes'],
    verbs: READ,
    reach: 'cluster',
    why: 'addresses of nodes, where pods are on the host network',
    without: 'no address of a node is published',
  },
  {
    group: 'ramjet.dev',
    resources: ['classparameters'],
    verbs: READ,
    reach: 'watched',
    why: 'what a class sets for all its Ingresses',
    without: 'a class with parameters is not served',
  },
  {
    group: 'networking.k8s.io',
    resources: ['ingresses/status'],
    verbs: ['patch'],
    reach: 'watched',
    why: 'addresses in `kubectl get ingress`',
    without: 'they are not written',
  },
  {
    group: 'networking.k8s.io',
    resources: ['ingresses'],
    verbs: ['patch'],
    reach: 'watched',
    why: 'the annotation `ramjet.dev/observed-generation`',
    without: 'it is not written',
  },
  {
    group: 'ramjet.dev',
    resources: ['classparameters/status'],
    verbs: ['patch'],
    reach: 'watched',
    why: 'what became of the parameters',
    without: 'it is not written',
  },
  {
    group: 'events.k8s.io',
    resources: ['events'],
    verbs: ['create', 'patch'],
    reach: 'watched',
    why: 'Events on objects; those about a class lie in the namespace `default`',
    without: 'findings are in the log and at `/admin/warnings` alone',
  },
  {
    group: 'coordination.k8s.io',
    resources: ['leases'],
    verbs: [...READ, 'create', 'update'],
    reach: 'own',
    why: 'leader election: one replica writes',
    without: 'this replica never writes',
  },
]

/** Whether the permission changes anything in the cluster; what a read-only install leaves out. */
export function isWriting({ verbs }: Grant): boolean {
  return verbs.some((verb) => !READ.includes(verb))
}
