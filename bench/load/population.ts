// Clusters of any size, as the caches hold them: one Ingress a host, ten paths a host, one Service an Ingress.
import type { Service } from '../../src/api/core.ts'
import { type EndpointSlice, SERVICE_NAME_LABEL } from '../../src/api/discovery.ts'
import type { ObjectMeta } from '../../src/api/meta.ts'
import type { HttpIngressPath, Ingress, IngressClass } from '../../src/api/networking.ts'
import type { ClusterSnapshot, CompileSettings } from '../../src/compiler/snapshot.ts'

export const NAMESPACE = 'bench'
export const PATHS_PER_HOST = 10
const CLASS = 'ramjet'
const CONTROLLER = 'ramjet.dev/ingress'

/** What flags would say, had none been given. */
export const SETTINGS: CompileSettings = {
  ingressClass: CLASS,
  ingressClassGiven: false,
  controllerName: CONTROLLER,
  watchIngressWithoutClass: false,
  defaultBackend: undefined,
  allowExternalName: false,
}

/** The host of the Ingress with this number. */
export function hostOf(index: number): string {
  return `host-${index}.bench.example`
}

/** How many hosts have `routes` routes. */
export function hostsOf(routes: number): number {
  return Math.ceil(routes / PATHS_PER_HOST)
}

/** A snapshot with `routes` Prefix routes, ten to a host. */
export function prefixCluster(routes: number): ClusterSnapshot {
  const paths = Array.from({ length: PATHS_PER_HOST }, (_, index) => `/part-${index}/list`)
  return clusterOf(Array.from({ length: hostsOf(routes) }, (_, index) => ingressOf(index, paths, 'Prefix')))
}

/** A snapshot with one host whose paths are these regular expressions. */
export function regexCluster(patterns: readonly string[]): ClusterSnapshot {
  return clusterOf([ingressOf(0, patterns, 'ImplementationSpecific')])
}

/** The snapshot after an edit of one Ingress: its first path ends in `revision`. Everything else is the same object. */
export function withEditedIngress(snapshot: ClusterSnapshot, index: number, revision: number): ClusterSnapshot {
  const paths = Array.from({ length: PATHS_PER_HOST }, (_, path) =>
    path === 0 ? `/part-0/edit-${revision}` : `/part-${path}/list`,
  )
  const edited = ingressOf(index, paths, 'Prefix', revision)
  return { ...snapshot, ingresses: new Map(snapshot.ingresses).set(`${NAMESPACE}/${edited.metadata.name}`, edited) }
}

function clusterOf(ingresses: readonly Ingress[]): ClusterSnapshot {
  const names = ingresses.map(({ metadata }) => metadata.name)
  return {
    ingresses: new Map(ingresses.map((ingress) => [`${NAMESPACE}/${ingress.metadata.name}`, ingress])),
    ingressClasses: new Map([[CLASS, ingressClass()]]),
    services: new Map(names.map((name) => [`${NAMESPACE}/${name}`, serviceOf(name)])),
    endpointSlices: new Map(names.map((name, index) => [`${NAMESPACE}/${name}`, [sliceOf(name, index)]])),
    resolvedNames: new Map(),
    file: undefined,
    servedBackends: new Map(),
    defaults: {},
    classParameters: new Map(),
    wantedObjects: new Map(),
    tlsSecrets: new Map(),
  }
}

function ingressOf(index: number, paths: readonly string[], pathType: string, revision = 1): Ingress {
  const name = `web-${index}`
  const http = paths.map(
    (path): HttpIngressPath => ({ path, pathType, backend: { service: { name, port: { number: 80 } } } }),
  )
  return {
    metadata: metaOf(name, revision),
    spec: { ingressClassName: CLASS, rules: [{ host: hostOf(index), http: { paths: http } }] },
  }
}

function ingressClass(): IngressClass {
  const { namespace: _none, ...metadata } = metaOf(CLASS)
  return { metadata, spec: { controller: CONTROLLER } }
}

function serviceOf(name: string): Service {
  return {
    metadata: metaOf(name),
    spec: { clusterIP: '10.96.0.10', ports: [{ name: 'http', port: 80, targetPort: 8080 }] },
  }
}

function sliceOf(name: string, index: number): EndpointSlice {
  const third = 2 * Math.floor(index / 250)
  const last = (index % 250) + 1
  return {
    metadata: { ...metaOf(name), labels: { [SERVICE_NAME_LABEL]: name } },
    addressType: 'IPv4',
    endpoints: [0, 1].map((pod) => ({ addresses: [`10.244.${third + pod}.${last}`], conditions: { ready: true } })),
    ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
  }
}

function metaOf(name: string, revision = 1): ObjectMeta {
  return {
    name,
    namespace: NAMESPACE,
    uid: `uid-${name}`,
    resourceVersion: String(revision),
    creationTimestamp: '2026-01-01T00:00:00Z',
  }
}
