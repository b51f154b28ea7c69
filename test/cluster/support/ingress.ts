// Ingresses in the few words that a test is about.
import type { KubeObject } from '../../../hack/cluster/kube-client.ts'

/**
 * Host, or `*` for none, to its paths; path to its Service. A path is a Prefix unless its type stands before it:
 * `{ 'shop.example': { '/': 'web', 'Exact /cart': 'cart:http' } }`. The port is `http` where none is named.
 */
export type Rules = Readonly<Record<string, Readonly<Record<string, string>>>>

export interface IngressShape {
  /** `ramjet` where nothing is said, none at all with `null`. */
  readonly className?: string | null
  readonly annotations?: Readonly<Record<string, string>>
  readonly defaultBackend?: string
  readonly tls?: readonly { readonly hosts?: readonly string[]; readonly secretName?: string }[]
}

export function ingress(
  namespace: string,
  name: string,
  { rules, className = 'ramjet', annotations, defaultBackend, tls }: IngressShape & { readonly rules: Rules },
): KubeObject {
  const spec = {
    ...(className !== null && { ingressClassName: className }),
    ...(defaultBackend !== undefined && { defaultBackend: backend(defaultBackend) }),
    ...(tls !== undefined && { tls }),
    rules: Object.entries(rules).map(([host, paths]) => rule(host, paths)),
  }
  const metadata = { name, namespace, ...(annotations && { annotations }) }
  return { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata, spec }
}

function rule(host: string, paths: Readonly<Record<string, string>>): unknown {
  const list = Object.entries(paths).map(([path, service]) => ({ ...typedPath(path), backend: backend(service) }))
  return { ...(host !== '*' && { host }), http: { paths: list } }
}

function typedPath(text: string): { readonly path?: string; readonly pathType: string } {
  const [, pathType = 'Prefix', path = ''] = /^(?:(Exact|Prefix|ImplementationSpecific) ?)?(.*)$/s.exec(text) ?? []
  return { pathType, ...(path !== '' && { path }) }
}

/** `name`, `name:http` or `name:80`. */
function backend(text: string): unknown {
  const [name = '', port = 'http'] = text.split(':')
  return { service: { name, port: /^\d+$/.test(port) ? { number: Number(port) } : { name: port } } }
}
