// Every flag of `ramjet run`, in one table: parsing, environment, help and docs are made from it (R33-19).
import {
  ADDRESS,
  BOOLEAN,
  CIDR,
  COUNT,
  COUNT_OR_0,
  choice,
  DIR,
  DOMAIN_PATH,
  DURATION,
  DURATION_OR_0,
  FILE,
  type Flag,
  type FlagType,
  type Group,
  integer,
  NAME,
  NAMESPACED_NAME,
  PORT,
  SECONDS,
  SECONDS_OR_0,
  SIZE,
  SIZE_OR_0,
  SWITCH,
  text,
  URL_TEXT,
} from './flag-types.ts'

type Row = Omit<Flag, 'group'>

/** The engine that serves where none is named (R20-1). */
const DEFAULT_ENGINE = 'wire'

const MODE: readonly Row[] = [
  flag(
    '--static-routes',
    FILE,
    'none',
    'Serve the routes of this YAML file, read again when it changes; ask no cluster',
  ),
  later('--base-routes', FILE, 'none', 'Add the routes of this YAML file to those of the cluster'),
  flag(
    '--config',
    text('FILE or DIR'),
    'none',
    "The operator's configuration: a YAML file, or a folder of them; read again when it changes",
  ),
  flag('--engine', choice(['wire', 'standard']), DEFAULT_ENGINE, 'How HTTP/1.1 is served'),
  flag(
    '--transport',
    choice(['auto', 'public', 'handle'], ['epoll', 'uring']),
    'auto',
    'How the wire engine reads and writes sockets',
  ),
  flag('--transport-strict', BOOLEAN, 'off', 'Stop rather than serve by another transport'),
  flag('--workers', integer(1, 256), 'the CPUs this process may use', 'Data-plane threads'),
  later('--nginx-compat', BOOLEAN, 'off', 'Read Ingresses by the rules of ingress-nginx'),
  list('--kinds', choice(['ingress'], ['gateway']), 'ingress', 'Families of objects to watch'),
  flag('--help', SWITCH, '-', 'Print this text'),
  flag('--version', SWITCH, '-', 'Print the version'),
]

const KUBERNETES: readonly Row[] = [
  flag('--ingress-class', NAME, 'ramjet', 'Name of our IngressClass; where given, no other class is served'),
  flag(
    '--controller-name',
    DOMAIN_PATH,
    'ramjet.dev/ingress',
    'The spec.controller of the IngressClasses that are ours',
  ),
  later('--gateway-controller-name', DOMAIN_PATH, 'ramjet.dev/gateway', 'The controllerName of our GatewayClasses'),
  flag('--watch-ingress-without-class', BOOLEAN, 'off', 'Serve Ingresses that name no class as well'),
  list('--watch-namespace', NAME, 'all', 'Namespaces to watch'),
  flag('--namespace-selector', text('SELECTOR'), 'none', 'Labels of the namespaces whose Ingresses are served'),
  flag('--default-backend', text('NAMESPACE/NAME:PORT'), 'none', 'Service that answers what no host and no path takes'),
  flag('--allow-external-name', BOOLEAN, 'off', 'Resolve the names of ExternalName Services and send requests there'),
  later('--allow-snippets', BOOLEAN, 'off', 'Read snippet annotations'),
  flag('--kubeconfig', FILE, 'KUBECONFIG; in a pod the mounted account', 'How to reach the API server'),
  flag('--context', NAME, 'that of the kubeconfig', 'Context of the kubeconfig'),
  flag('--kube-apiserver', URL_TEXT, 'from the pod or the kubeconfig', 'Address of the API server'),
  flag('--service-account-dir', DIR, 'the usual mount', 'Folder with token, ca.crt and namespace of the account'),
  flag('--watch-timeout', DURATION, '5m', 'How long one watch lasts; 30 s later a silent one is taken for dead'),
  flag('--resync-period', DURATION_OR_0, '30m', 'How often every kind is listed anew; 0 turns it off'),
  later('--gateway-address-pool', CIDR, 'none', 'Addresses to give to Gateways', true),
  later('--gateway-services', choice(['none', 'cluster-ip', 'load-balancer']), 'none', 'Services made for Gateways'),
  flag(
    '--publish-service',
    NAMESPACED_NAME,
    'none',
    'Service whose addresses are written into the status of Ingresses',
  ),
  list('--publish-address', text('IP or HOSTNAME'), 'none', 'Address that is written into the status of Ingresses'),
  flag(
    '--observed-generation',
    choice(['auto', 'all', 'changed']),
    'auto',
    'Which Ingresses are told the newest generation; auto: all of at most 200, of more those that changed',
  ),
  flag('--no-status-update', SWITCH, 'off', 'Write neither addresses nor generations onto Ingresses'),
  flag('--update-status-on-shutdown', BOOLEAN, 'off', 'Clear the addresses when the last replica stops'),
  flag('--read-only', BOOLEAN, 'off', 'Write nothing to the cluster: no status, no Events, no Lease'),
  flag('--leader-elect', BOOLEAN, 'on', 'Let one replica write; false: this one writes, and is the only one'),
  flag('--leader-elect-duration', SECONDS, '15s', 'How long a lease lasts that is not renewed; whole seconds'),
  flag('--leader-elect-renew', SECONDS, '10s', 'How long after its last renewal the leader still writes'),
  flag('--leader-elect-retry', SECONDS, '2s', 'How long between two renewals, and between two tries'),
  flag('--leader-elect-lease-name', NAME, 'ramjet-, the controller name; a hash where narrowed', 'Name of the Lease'),
  flag('--leader-elect-namespace', NAME, "POD_NAMESPACE, else the account's", 'Namespace of the Lease'),
]

const LISTENERS: readonly Row[] = [
  list('--http', ADDRESS, ':8080', 'Plaintext listener; HOST is an IP address or localhost, or absent for all'),
  list(
    '--https',
    ADDRESS,
    ':8443',
    'TLS listener; without it, static mode has one only where its file has certificates',
  ),
  flag('--no-http', SWITCH, 'off', 'Bind no plaintext listener'),
  flag('--no-https', SWITCH, 'off', 'Bind no TLS listener'),
  flag('--public-http-port', PORT, 'the listening port', 'The port that clients dial, for X-Forwarded-Port'),
  flag(
    '--public-https-port',
    PORT,
    'the listening port',
    'The port that clients dial by TLS, for X-Forwarded-Port and redirects',
  ),
  list('--trusted-proxies', CIDR, 'none', 'Peers whose X-Forwarded fields are believed'),
  flag('--proxy-protocol', BOOLEAN, 'off', 'Expect a PROXY header on every connection'),
  list('--proxy-protocol-from', CIDR, '--trusted-proxies, else everyone', 'Who may send a PROXY header'),
  flag('--proxy-protocol-timeout', DURATION, '5s', 'How long the PROXY header may take'),
  flag('--underscore-headers', choice(['drop', 'keep', 'reject']), 'drop', 'What becomes of fields with _ in the name'),
  flag('--encoded-slash', choice(['keep', 'reject']), 'keep', 'What becomes of %2F in a path'),
]

const LIMITS: readonly Row[] = [
  flag('--header-timeout', SECONDS, '10s', 'How long a request head may take'),
  flag('--body-timeout', DURATION, '60s', 'How long a request body may pause'),
  flag('--min-body-rate', COUNT_OR_0, '16', 'Bytes per second that a request body must make; 0 turns it off'),
  flag('--send-timeout', DURATION, '60s', 'How long a client may take no byte'),
  flag('--keepalive-timeout', SECONDS, '75s', 'How long a client connection may be idle'),
  flag('--keepalive-requests', COUNT, '10000', 'Requests on one client connection'),
  flag('--max-target-size', SIZE, '16k', 'Size of a request target'),
  flag('--max-header-size', SIZE, '64k', 'Size of a request head'),
  flag('--max-headers', COUNT, '200', 'Fields of a request head'),
  flag('--max-body-size', SIZE_OR_0, '0', 'Size of a request body; 0 sets no limit'),
  flag('--max-connections', COUNT, 'from the fd limit', 'Client connections per worker'),
  flag(
    '--connection-buffer',
    SIZE,
    '64k',
    'Bytes that may wait in one direction of a connection before the other side pauses',
  ),
  flag(
    '--buffer-budget',
    SIZE,
    'a quarter of the memory limit; 256m without one',
    'Bytes that may wait in the process',
  ),
  flag('--tunnel-idle-timeout', DURATION_OR_0, '1h', 'How long a tunnel may be idle; 0 sets no limit'),
  later('--udp-session-idle', DURATION, '60s', 'How long a UDP session is kept'),
  later('--max-udp-sessions', COUNT, '10000', 'UDP sessions per worker'),
  later('--limit-status', choice(['429', '503']), '429', 'Answer of a rate limit'),
  flag('--shutdown-delay', SECONDS_OR_0, '10s', 'How long connections are still accepted after SIGTERM'),
  flag('--shutdown-grace', SECONDS_OR_0, '30s', 'How long requests in flight may take after that'),
]

const UPSTREAM: readonly Row[] = [
  flag('--connect-timeout', SECONDS, '5s', 'How long a connection to an endpoint may take'),
  flag('--max-connect-attempts', integer(1, 100), '3', 'Endpoints that are tried for one request'),
  flag('--response-timeout', SECONDS, '60s', 'How long a response head, or a pause of its body, may take'),
  flag('--max-response-header-size', SIZE, '32k', 'Size of a response head'),
  flag('--max-response-headers', COUNT, '1000', 'Fields of a response head'),
  flag('--retry-buffer', SIZE, '64k', 'Request body that is kept for a retry'),
  flag('--upstream-pool-idle', COUNT, '128', 'Idle connections per endpoint and worker'),
  flag('--upstream-idle-timeout', DURATION, '60s', 'How long an idle connection is kept'),
  flag('--upstream-h2-sessions', COUNT, '8', 'HTTP/2 sessions per endpoint and worker'),
  flag('--fail-timeout', DURATION, '10s', 'How long a failed endpoint is skipped'),
  later('--mirror-max-body', SIZE_OR_0, '256k', 'Body that is mirrored; 0 mirrors none'),
  later('--mirror-cross-namespace', BOOLEAN, 'off', 'Let a mirror stand in another namespace'),
]

const TLS: readonly Row[] = [
  flag(
    '--default-tls-secret',
    NAMESPACED_NAME,
    'none',
    'Secret with the certificate for names without one, in place of a refused handshake',
  ),
  flag(
    '--self-signed-default',
    BOOLEAN,
    'off',
    'Make a certificate at start for names without one, where no Secret has it',
  ),
  flag('--tls-min-version', choice(['1.2', '1.3']), '1.2', 'Oldest TLS version that clients may speak'),
  flag(
    '--tls-handshake-timeout',
    DURATION,
    '10s',
    'How long a ClientHello may take, and then the rest of the handshake',
  ),
  flag(
    '--ticket-key-secret',
    NAMESPACED_NAME,
    'none',
    'Secret with the keys of session tickets, for all replicas; without it each makes its own',
  ),
  flag('--certificate-grace', DURATION, '24h', 'How long a certificate serves on after its Secret is gone'),
]

const HTTP2: readonly Row[] = [
  flag('--no-h2', SWITCH, 'off', 'Speak no HTTP/2 with clients, neither by TLS nor in plaintext'),
  flag('--h2-max-streams', COUNT, '100', 'Streams of a client connection at a time'),
  flag('--h2-max-headers', COUNT, '256', 'Fields of a request head that comes by HTTP/2'),
  flag('--h2-max-resets', COUNT, '100', 'Streams that may be reset in 10 s, beyond those that finished'),
  flag('--h2-max-control-frames', COUNT, '1000', 'PING frames, and SETTINGS frames, that a client may send in 10 s'),
  flag('--h2-flood-bytes', SIZE, '256k', 'Bytes that a client may send in 10 s without any stream making progress'),
  flag('--h2-max-age', DURATION_OR_0, '1h', 'Age at which a client connection takes no new streams; 0 sets no limit'),
]

const LOG_LEVEL = text('LEVEL or TARGET=LEVEL')

const OPERATIONS: readonly Row[] = [
  flag('--debounce-min', DURATION, '10ms', 'How long no further change must come before a compile'),
  flag('--debounce', DURATION, '200ms', 'How long changes may keep a compile waiting'),
  flag('--history-size', COUNT_OR_0, '10', 'Generations that are kept and can be served again; 0 reads as 1'),
  flag('--audit-webhook', URL_TEXT, 'none', 'Where a record of each change of the configuration is posted'),
  list(
    '--log-level',
    LOG_LEVEL,
    'info',
    'error, warn, info or debug, and the same for a target, as in info,proxy=debug',
  ),
  flag('--log-format', choice(['json', 'pretty']), 'json', 'How log records are written'),
  later('--access-log', choice(['off', 'json', 'combined']), 'off', 'How requests are logged'),
  later('--access-log-query', choice(['keep', 'drop']), 'keep', 'Whether the query is logged'),
  later('--route-metrics', choice(['off', 'native', 'nginx']), 'off', 'Series per route'),
]

const ADMIN: readonly Row[] = [
  flag('--admin', ADDRESS, ':10254', 'Listener of probes, metrics and the admin API'),
  flag('--no-admin', SWITCH, 'off', 'Bind no admin listener'),
  flag('--admin-protect', choice(['writes', 'all']), 'writes', 'What needs the token; probes never do'),
  flag('--admin-token-file', FILE, 'none', 'File with the token of the admin API, read again when it changes'),
  flag(
    '--admin-service',
    NAMESPACED_NAME,
    'own namespace and ramjet-admin',
    'Service whose EndpointSlices name the replicas',
  ),
  later('--admission', ADDRESS, 'none', 'Listener of the admission webhook'),
  later('--admission-cert-dir', DIR, 'none', 'Certificates of the admission webhook'),
]

const EXPERIMENTAL: readonly Row[] = [later('--http3', BOOLEAN, 'off', 'Serve HTTP/3')]

/** Every flag, those that are not built included. */
export const FLAGS: readonly Flag[] = [
  ...inGroup('Mode and process', MODE),
  ...inGroup('Kubernetes', KUBERNETES),
  ...inGroup('Listeners', LISTENERS),
  ...inGroup('Limits and timeouts', LIMITS),
  ...inGroup('Upstream and balancing', UPSTREAM),
  ...inGroup('TLS', TLS),
  ...inGroup('HTTP/2', HTTP2),
  ...inGroup('Operations', OPERATIONS),
  ...inGroup('Admin', ADMIN),
  ...inGroup('Experimental', EXPERIMENTAL),
]

/** The flags by name. */
export const FLAG_BY_NAME: ReadonlyMap<string, Flag> = new Map(FLAGS.map((entry) => [entry.name, entry]))

/** Verbs beside `run` that are not in this build. */
export const LATER_VERBS: readonly string[] = ['top', 'match', 'audit', 'lint', 'canary']

/** The environment variable that sets a flag; `undefined` for switches, which have none (R33-2, R33-4). */
export function twinOf(entry: Flag): string | undefined {
  if (entry.type.kind === 'switch') return undefined
  return `RAMJET_${entry.name.slice(2).toUpperCase().replaceAll('-', '_')}`
}

function flag(name: string, type: FlagType, defaultText: string, help: string): Row {
  return { name, type, many: false, default: defaultText, help, built: true }
}

function list(name: string, type: FlagType, defaultText: string, help: string): Row {
  return { name, type, many: true, default: defaultText, help, built: true }
}

function later(name: string, type: FlagType, defaultText: string, ...[help, many = false]: [string, boolean?]): Row {
  return { name, type, many, default: defaultText, help, built: false }
}

function inGroup(group: Group, rows: readonly Row[]): readonly Flag[] {
  return rows.map((row) => ({ ...row, group }))
}
