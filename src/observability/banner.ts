// What a process is and serves: the first that it says (R20-24).
import type { LogFields } from './log.ts'

export interface BannerFacts {
  readonly version: string
  readonly nodeVersion: string
  readonly mode: 'static' | 'cluster'
  readonly engine: string
  readonly transport: string
  readonly workers: number
  /** Of cluster mode. */
  readonly cluster: ClusterFacts | undefined
  /** Of static mode. */
  readonly file: FileFacts | undefined
  /** `0.0.0.0:8080`, with the port that was bound; the reason in words where there is none. */
  readonly http: readonly string[] | string
  /** The same of the TLS listeners, or the reason in words why there is none. */
  readonly https: readonly string[] | string
  readonly http3: string
  /** `127.0.0.1:10254`; `undefined`: `--no-admin`. */
  readonly admin: string | undefined
  /** What this build or these settings refuse, each with why or with the flag that allows it. */
  readonly refused: readonly string[]
}

export interface ClusterFacts {
  readonly ingressClass: string
  readonly controllerName: string
  /** `undefined`: all. */
  readonly namespaces: readonly string[] | undefined
  /** Address of the API server, and where it is known from. */
  readonly apiServer: string
}

export interface FileFacts {
  readonly path: string
  readonly backends: number
  readonly endpoints: number
  readonly routes: number
  readonly certificates: number
  readonly hasDefaultBackend: boolean
}

const ADMIN_PATHS = '/admin/routes /admin/warnings /admin/certificates'

/** The banner as fields of a record. */
export function bannerFields(facts: BannerFacts): LogFields {
  const { cluster, file, admin } = facts
  return {
    version: facts.version,
    node: facts.nodeVersion,
    mode: facts.mode,
    engine: facts.engine,
    transport: facts.transport,
    workers: facts.workers,
    ...(cluster && { ...cluster, namespaces: cluster.namespaces ?? 'all' }),
    ...(file && { file: file.path, ...countsOf(file) }),
    http: facts.http,
    https: facts.https,
    http3: facts.http3,
    probes: admin === undefined ? 'disabled (--no-admin)' : `http://${admin}/healthz /readyz /metrics`,
    admin: admin === undefined ? 'disabled (--no-admin)' : `http://${admin}${ADMIN_PATHS}`,
    refused: facts.refused,
  }
}

function countsOf({ backends, endpoints, routes, certificates, hasDefaultBackend }: FileFacts): LogFields {
  return { backends, endpoints, routes, certificates, defaultBackend: hasDefaultBackend }
}

/** The banner for people, with the line feed of its last line. */
export function bannerText(facts: BannerFacts): string {
  const { version, nodeVersion, mode, engine, transport, workers, cluster, file, admin } = facts
  const rows: readonly (readonly [title: string, text: string])[] = [
    ...(file === undefined ? [] : ([['routes', fileText(file)]] as const)),
    ...(cluster === undefined ? [] : clusterRows(cluster)),
    ['http', listenersText(facts.http)],
    ['https', listenersText(facts.https)],
    ['http3', facts.http3],
    ['probes', admin === undefined ? 'disabled (--no-admin)' : `http://${admin}/healthz /readyz /metrics`],
    ['admin', admin === undefined ? 'disabled (--no-admin)' : `http://${admin}${ADMIN_PATHS}`],
    ['refused', facts.refused.join(', ')],
  ]
  const head = `ramjet ${version} (node ${nodeVersion}): ${mode}, engine ${engine}, transport ${transport}, ${counted(workers, 'worker')}\n`
  return head + rows.map(([title, text]) => `  ${title.padEnd(10)} ${text}\n`).join('')
}

function clusterRows(cluster: ClusterFacts): readonly (readonly [string, string])[] {
  return [
    ['cluster', cluster.apiServer],
    ['class', `${cluster.ingressClass}, controller ${cluster.controllerName}`],
    ['namespaces', cluster.namespaces?.join(', ') ?? 'all'],
  ]
}

function listenersText(listeners: readonly string[] | string): string {
  return typeof listeners === 'string' ? listeners : listeners.join(' ')
}

function fileText({ path, backends, endpoints, routes, certificates, hasDefaultBackend }: FileFacts): string {
  const counts = [
    counted(backends, 'backend'),
    counted(endpoints, 'endpoint'),
    counted(routes, 'route'),
    counted(certificates, 'certificate'),
  ]
  return `${path}: ${counts.join(', ')}, ${hasDefaultBackend ? 'default backend set' : 'no default backend'}`
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
