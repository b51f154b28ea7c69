// What the flags say, as the parts of Ramjet want it: units in the names, defaults filled in.
import { DNS_LABEL, DNS_NAME } from '../lib/dns-name.ts'
import { parseCidr } from '../lib/ip.ts'
import { type LabelSelector, parseLabelSelector } from '../lib/label-selector.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { parseServicePort, type ServicePortText } from '../lib/service-port.ts'
import { type ListenAddress, parseListenAddress } from './address.ts'
import type { FlagReader } from './flag-reader.ts'
import { type LogLevels, logLevelsOf } from './log-levels.ts'
import { matching } from './matching.ts'
import { parseServiceName, type ServiceName } from './service-name.ts'
import { type CertificateFlags, certificatesFrom, type Http2Flags, http2From, type TlsFlags, tlsFrom } from './tls.ts'
import { type WritingFlags, writingFrom } from './writing.ts'

export interface Settings {
  /** `undefined`: cluster mode. */
  readonly staticRoutes: string | undefined
  /** File or folder of the operator's configuration; `undefined`: there is none. */
  readonly config: string | undefined
  readonly kubernetes: KubernetesSettings
  readonly writing: WritingFlags
  readonly certificates: CertificateFlags
  readonly dataPlane: DataPlaneFlags
  readonly shutdownDelayMs: number
  readonly shutdownGraceMs: number
  readonly debounceMinMs: number
  readonly debounceMs: number
  /** Applied generations that are kept; 0 reads as 1. */
  readonly historySize: number
  /** An http or https URL; `undefined`: none. */
  readonly auditWebhook: string | undefined
  readonly log: LogLevels & { readonly format: 'json' | 'pretty' }
  /** `undefined`: no admin listener. */
  readonly admin: ListenAddress | undefined
  /** What needs the token. */
  readonly adminProtect: 'writes' | 'all'
  /** `undefined`: there is no token. */
  readonly adminTokenFile: string | undefined
  /** `undefined`: `ramjet-admin` in the namespace of this pod. */
  readonly adminService: ServiceName | undefined
}

export interface KubernetesSettings {
  readonly ingressClass: string
  /** Whether it was given by flag or variable: then no other class is served (R10-3). */
  readonly ingressClassGiven: boolean
  readonly controllerName: string
  readonly watchIngressWithoutClass: boolean
  /** `undefined`: all. */
  readonly watchNamespaces: readonly string[] | undefined
  /** `undefined`: namespaces with any labels. */
  readonly namespaceSelector: NamespaceSelector | undefined
  /** The port by number or by name. */
  readonly defaultBackend: ServicePortText | undefined
  readonly allowExternalName: boolean
  readonly kubeconfig: string | undefined
  readonly context: string | undefined
  readonly kubeApiserver: string | undefined
  readonly serviceAccountDir: string | undefined
  readonly watchTimeoutMs: number
  /** 0: off. */
  readonly resyncPeriodMs: number
}

export interface NamespaceSelector {
  /** As it was given. */
  readonly text: string
  readonly requirements: LabelSelector
}

export interface DataPlaneFlags {
  readonly http: readonly ListenAddress[]
  readonly https: readonly ListenAddress[]
  /** Whether somebody asked for it: then static mode has it without a certificate too (R20-20). */
  readonly isHttpsGiven: boolean
  readonly tls: TlsFlags
  /** `undefined`: it is not offered. */
  readonly http2: Http2Flags | undefined
  readonly workers: number
  readonly engine: 'wire' | 'standard'
  /** Has a part in the wire engine alone. */
  readonly transport: 'auto' | 'public' | 'handle'
  /** Whether another transport than the one that was asked for ends the process. */
  readonly isTransportStrict: boolean
  /** `undefined`: no connection begins with a PROXY header. */
  readonly proxyProtocol: ProxyProtocolFlags | undefined
  readonly engineSettings: EngineFlags
  /** Per worker; `undefined`: as many as descriptors allow. */
  readonly maxConnections: number | undefined
  /** Of the process; `undefined`: by its memory. */
  readonly bufferBudgetBytes: number | undefined
}

/** What is expected of a PROXY header. */
export interface ProxyProtocolFlags {
  /** Networks of those who may send one; `undefined`: everyone. */
  readonly from: readonly string[] | undefined
  readonly timeoutMs: number
}

export interface EngineFlags {
  readonly trustedProxies: readonly string[]
  readonly underscoreHeaders: 'drop' | 'keep' | 'reject'
  readonly encodedSlash: 'keep' | 'reject'
  /** `undefined`: the port that took the connection. */
  readonly publicHttpPort: number | undefined
  readonly publicHttpsPort: number | undefined
  /** Where clients are sent by https; `undefined`: 443. */
  readonly redirectPort: number | undefined
  readonly connectTimeoutMs: number
  readonly maxConnectAttempts: number
  readonly connectionBufferBytes: number
  readonly limits: LimitFlags
}

/** Limits of requests and responses, and how long they may take. */
export interface LimitFlags {
  readonly headerTimeoutMs: number
  readonly bodyTimeoutMs: number
  /** Bytes per second; 0: none. */
  readonly minBodyRate: number
  readonly sendTimeoutMs: number
  readonly keepAliveTimeoutMs: number
  readonly keepAliveRequests: number
  readonly maxTargetBytes: number
  readonly maxHeaderBytes: number
  readonly maxHeaders: number
  /** 0: none. */
  readonly maxBodyBytes: number
  /** 0: none. */
  readonly tunnelIdleTimeoutMs: number
  readonly responseTimeoutMs: number
  readonly maxResponseHeaderBytes: number
  readonly maxResponseHeaders: number
  readonly retryBufferBytes: number
  readonly upstreamPoolIdle: number
  readonly upstreamIdleTimeoutMs: number
  readonly upstreamH2Sessions: number
  readonly failTimeoutMs: number
}

const CONTROLLER = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?\/[A-Za-z0-9/._~%!$&'()*+,;=:@-]{1,250}$/

/** Reads every built flag once; faults are left in `reader`, and then the result means nothing. */
export function settingsFrom(reader: FlagReader, availableCpus: number): Settings {
  return {
    staticRoutes: reader.textIfGiven('--static-routes', filled('FILE')),
    config: reader.textIfGiven('--config', filled('FILE or DIR')),
    kubernetes: kubernetesFrom(reader),
    writing: writingFrom(reader),
    certificates: certificatesFrom(reader),
    dataPlane: dataPlaneFrom(reader, availableCpus),
    shutdownDelayMs: reader.durationMs('--shutdown-delay'),
    shutdownGraceMs: reader.durationMs('--shutdown-grace'),
    debounceMinMs: reader.durationMs('--debounce-min'),
    debounceMs: reader.durationMs('--debounce'),
    historySize: reader.integer('--history-size'),
    auditWebhook: reader.textIfGiven('--audit-webhook', parseWebhookUrl),
    log: { ...logLevelsOf(reader), format: reader.choice('--log-format', ['json', 'pretty']) },
    admin: adminFrom(reader),
    adminProtect: reader.choice('--admin-protect', ['writes', 'all']),
    adminTokenFile: reader.textIfGiven('--admin-token-file', filled('FILE')),
    adminService: reader.textIfGiven('--admin-service', parseServiceName),
  }
}

function kubernetesFrom(reader: FlagReader): KubernetesSettings {
  // One family is built, so the flag can only confirm it.
  reader.choices('--kinds', ['ingress'])
  return {
    ingressClass: reader.text('--ingress-class', matching(DNS_NAME, 'the name of an IngressClass')),
    ingressClassGiven: reader.givenAs('--ingress-class') !== undefined,
    controllerName: reader.text('--controller-name', matching(CONTROLLER, 'DOMAIN/PATH, such as ramjet.dev/ingress')),
    watchIngressWithoutClass: reader.boolean('--watch-ingress-without-class'),
    watchNamespaces: reader.textsIfGiven('--watch-namespace', matching(DNS_LABEL, 'the name of a namespace')),
    namespaceSelector: reader.textIfGiven('--namespace-selector', parseNamespaceSelector),
    defaultBackend: reader.textIfGiven('--default-backend', parseServicePort),
    allowExternalName: reader.boolean('--allow-external-name'),
    kubeconfig: reader.textIfGiven('--kubeconfig', filled('FILE')),
    context: reader.textIfGiven('--context', filled('NAME')),
    kubeApiserver: reader.textIfGiven('--kube-apiserver', parseServerUrl),
    serviceAccountDir: reader.textIfGiven('--service-account-dir', filled('DIR')),
    watchTimeoutMs: reader.durationMs('--watch-timeout'),
    resyncPeriodMs: reader.durationMs('--resync-period'),
  }
}

function dataPlaneFrom(reader: FlagReader, availableCpus: number): DataPlaneFlags {
  const https = listenersFrom(reader, '--https', '--no-https')
  const engineSettings = engineFrom(reader, https)
  return {
    http: listenersFrom(reader, '--http', '--no-http'),
    https,
    isHttpsGiven: reader.givenAs('--https') !== undefined,
    tls: tlsFrom(reader),
    http2: http2From(reader),
    workers: reader.integerIfGiven('--workers') ?? Math.min(256, Math.max(1, availableCpus)),
    engine: reader.choice('--engine', ['wire', 'standard']),
    transport: reader.choice('--transport', ['auto', 'public', 'handle']),
    isTransportStrict: reader.boolean('--transport-strict'),
    proxyProtocol: proxyProtocolFrom(reader, engineSettings.trustedProxies),
    engineSettings,
    maxConnections: reader.integerIfGiven('--max-connections'),
    bufferBudgetBytes: reader.sizeIfGiven('--buffer-budget'),
  }
}

function listenersFrom(reader: FlagReader, name: string, off: string): readonly ListenAddress[] {
  const addresses = reader.texts(name, parseListenAddress)
  return reader.boolean(off) ? [] : addresses
}

// Read even where nothing is to be expected, so that their faults are found.
function proxyProtocolFrom(reader: FlagReader, trusted: readonly string[]): ProxyProtocolFlags | undefined {
  const given = reader.textsIfGiven('--proxy-protocol-from', parseNetwork)
  const timeoutMs = reader.durationMs('--proxy-protocol-timeout')
  if (!reader.boolean('--proxy-protocol')) return undefined
  return { from: given ?? (trusted.length > 0 ? trusted : undefined), timeoutMs }
}

function engineFrom(reader: FlagReader, https: readonly ListenAddress[]): EngineFlags {
  const publicHttpsPort = reader.integerIfGiven('--public-https-port')
  return {
    trustedProxies: reader.textsIfGiven('--trusted-proxies', parseNetwork) ?? [],
    underscoreHeaders: reader.choice('--underscore-headers', ['drop', 'keep', 'reject']),
    encodedSlash: reader.choice('--encoded-slash', ['keep', 'reject']),
    publicHttpPort: reader.integerIfGiven('--public-http-port'),
    publicHttpsPort,
    // Which port a listener on 0 gets is known too late.
    redirectPort: publicHttpsPort ?? (https[0]?.port || undefined),
    connectTimeoutMs: reader.durationMs('--connect-timeout'),
    maxConnectAttempts: reader.integer('--max-connect-attempts'),
    connectionBufferBytes: reader.size('--connection-buffer'),
    limits: limitsFrom(reader),
  }
}

function limitsFrom(reader: FlagReader): LimitFlags {
  return {
    headerTimeoutMs: reader.durationMs('--header-timeout'),
    bodyTimeoutMs: reader.durationMs('--body-timeout'),
    minBodyRate: reader.integer('--min-body-rate'),
    sendTimeoutMs: reader.durationMs('--send-timeout'),
    keepAliveTimeoutMs: reader.durationMs('--keepalive-timeout'),
    keepAliveRequests: reader.integer('--keepalive-requests'),
    maxTargetBytes: reader.size('--max-target-size'),
    maxHeaderBytes: reader.size('--max-header-size'),
    maxHeaders: reader.integer('--max-headers'),
    maxBodyBytes: reader.size('--max-body-size'),
    tunnelIdleTimeoutMs: reader.durationMs('--tunnel-idle-timeout'),
    responseTimeoutMs: reader.durationMs('--response-timeout'),
    maxResponseHeaderBytes: reader.size('--max-response-header-size'),
    maxResponseHeaders: reader.integer('--max-response-headers'),
    retryBufferBytes: reader.size('--retry-buffer'),
    upstreamPoolIdle: reader.integer('--upstream-pool-idle'),
    upstreamIdleTimeoutMs: reader.durationMs('--upstream-idle-timeout'),
    upstreamH2Sessions: reader.integer('--upstream-h2-sessions'),
    failTimeoutMs: reader.durationMs('--fail-timeout'),
  }
}

function adminFrom(reader: FlagReader): ListenAddress | undefined {
  const address = reader.text('--admin', parseListenAddress)
  return reader.boolean('--no-admin') ? undefined : address
}

function filled(words: string): (text: string) => Result<string, string> {
  return (text) => (text.trim() === '' ? err(words) : ok(text))
}

function parseNamespaceSelector(text: string): Result<NamespaceSelector, string> {
  const requirements = parseLabelSelector(text)
  return requirements.ok
    ? ok({ text, requirements: requirements.value })
    : err('a label selector, such as team=shop,!hidden')
}

function parseNetwork(text: string): Result<string, string> {
  const parsed = parseCidr(text)
  return parsed.ok ? ok(text) : err('a CIDR such as 10.0.0.0/8, or an IP address')
}

function parseWebhookUrl(text: string): Result<string, string> {
  const url = URL.parse(text)
  return url !== null && ['http:', 'https:'].includes(url.protocol) ? ok(text) : err('an http or https URL')
}

function parseServerUrl(text: string): Result<string, string> {
  const url = URL.parse(text)
  const allowed = url !== null && ['http:', 'https:'].includes(url.protocol) && url.username === ''
  return allowed ? ok(text) : err('an http or https URL without a user name')
}
