// Annotations of ingress-nginx that Ramjet will not read, and why (chapter "Never" of R11-2).

/** A key, or the beginning of several, that is reported and never parsed. */
export interface NeverKey {
  /** Without the prefix; with a `*` at the end it is a beginning. */
  readonly name: string
  /** A clause for the message: what it is, or what takes its place. */
  readonly why: string
  /** Whether it changes who may get in, which the message then says. */
  readonly changesAccess: boolean
}

const WAF = 'Ramjet is no web application firewall'
const NGINX_ONLY = "it belongs to nginx's own configuration"
const BOUNDED = 'Ramjet bounds its own buffers and connections'
const REMOVED = 'ingress-nginx itself removed it'

/** The first that fits a key counts. */
export const NEVER_KEYS: readonly NeverKey[] = [
  never('enable-modsecurity', WAF, true),
  never('enable-owasp-core-rules', WAF, true),
  never('modsecurity-*', WAF, true),
  never('auth-snippet', 'free text has no place in an access rule', true),
  never('enable-global-auth', 'no annotation leaves out an authenticator of the operator', true),
  never('stream-snippet', NGINX_ONLY),
  never('fastcgi-*', NGINX_ONLY),
  never('auth-keepalive*', BOUNDED),
  never('proxy-buffers-number', BOUNDED),
  never('proxy-busy-buffers-size', BOUNDED),
  never('proxy-max-temp-file-size', BOUNDED),
  never('enable-rewrite-log', 'it is a feature of the rewriting module of nginx'),
  never('http2-push-preload', 'no browser takes a push any more'),
  never('secure-backends', `${REMOVED}; backend-protocol takes its place`),
  never('grpc-backend', `${REMOVED}; backend-protocol takes its place`),
  never('secure-verify-ca-secret', `${REMOVED}; proxy-ssl-secret takes its place`, true),
  never('add-base-url', REMOVED),
  never('base-url-scheme', REMOVED),
  never('session-cookie-hash', REMOVED),
  never('mirror-uri', `${REMOVED}; mirror-target takes its place`),
  never('global-rate-limit*', `${REMOVED}; limit-rps takes its place`, true),
  never('enable-opentracing', `${REMOVED}; enable-opentelemetry takes its place`),
  never('opentracing-*', `${REMOVED}; enable-opentelemetry takes its place`),
  never('influxdb-*', REMOVED),
  never('enable-influxdb', REMOVED),
  never('enable-websocket', 'it never existed; upgrades need no annotation'),
  never('enable-websockets', 'it never existed; upgrades need no annotation'),
  never('websocket-services', 'it never existed; upgrades need no annotation'),
  never('client-max-body-size', 'it never existed; proxy-body-size is the name'),
  never('use-forwarded-headers', 'it never was an annotation; --trusted-proxies says whom to trust'),
]

/** The entry that a name (without the prefix) falls under; `undefined` for any other name. */
export function findNeverKey(name: string): NeverKey | undefined {
  return NEVER_KEYS.find((entry) =>
    entry.name.endsWith('*') ? name.startsWith(entry.name.slice(0, -1)) : name === entry.name,
  )
}

function never(name: string, why: string, changesAccess = false): NeverKey {
  return { name, why, changesAccess }
}
