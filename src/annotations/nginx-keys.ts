// The annotations of ingress-nginx that Ramjet reads or will read, without their prefix (R11-20 to R11-137).
import { NONE, type Row } from './annotation-spec.ts'
import { ACCESS, CROSS_ORIGIN } from './nginx-access-keys.ts'
import { TLS } from './nginx-tls-keys.ts'

const HEADER_RULE = 'nginx.ingress.kubernetes.io/canary-by-header'
const HASH = { needs: 'nginx.ingress.kubernetes.io/upstream-hash-by' }
const TIER_2 = { tier: 2 } as const
const POLICIES = '`round_robin`, `leastConn`, `random`, `ewma`, `hash:KEY`'
const HASH_VARIABLES = 'with `$request_uri`, `$uri`, `$remote_addr`, `$host`, `$http_NAME`, `$cookie_NAME`, `$arg_NAME`'
const BUILT = { built: true } as const
const SECONDS = { built: true, valid: 'whole seconds, 1 or more' } as const
const NEXT_UPSTREAM =
  '`off`, or words: `error`, `timeout`, `invalid_header`, `non_idempotent`, and `http_` with one of 403, 404, 429, 500, 502, 503, 504'
const PROTOCOLS = '`HTTP`, `HTTPS`, `GRPC`, `GRPCS`'
const ON_OFF = { valid: '`on`, `off`' }

const CANARY: readonly Row[] = [
  ['R11-20', 'canary', 'bool', 'false', 'location', 'default'],
  ['R11-21', 'canary-weight', 'int', '0', 'location', 'default', { valid: '0 to the total' }],
  ['R11-22', 'canary-weight-total', 'int', '100', 'location', 'default', { valid: 'above 0' }],
  ['R11-23', 'canary-by-header', 'header', NONE, 'location', 'ignore'],
  ['R11-24', 'canary-by-header-value', 'text', NONE, 'location', 'ignore', { needs: HEADER_RULE }],
  ['R11-25', 'canary-by-header-pattern', 'pattern', NONE, 'location', 'ignore', { needs: HEADER_RULE }],
  ['R11-26', 'canary-by-cookie', 'cookie', NONE, 'location', 'ignore'],
]

const BALANCING: readonly Row[] = [
  ['R11-29', 'backend-protocol', 'word', 'HTTP', 'backend', 'default', { ...BUILT, valid: PROTOCOLS }],
  ['R11-30', 'load-balance', 'word', 'round_robin', 'backend', 'default', { valid: POLICIES, built: true }],
  ['R11-31', 'upstream-hash-by', 'variables', NONE, 'backend', 'ignore', { valid: HASH_VARIABLES, built: true }],
  ['R11-32', 'upstream-hash-by-subset', 'bool', 'false', 'backend', 'default', HASH],
  ['R11-32', 'upstream-hash-by-subset-size', 'int', '3', 'backend', 'default', { ...HASH, valid: '1 to 100' }],
  ['R11-33', 'service-upstream', 'bool', 'false', 'backend', 'default', { built: true }],
  ['R11-34', 'upstream-vhost', 'host', NONE, 'location', 'ignore', { valid: 'with a port or without' }],
  ['R11-35', 'proxy-http-version', 'word', '1.1', 'location', 'default', { valid: '`1.0`, `1.1`' }],
  ['R11-36', 'connection-proxy-header', 'word', NONE, 'location', 'ignore', { valid: '`close`, `keep-alive`' }],
]

const REWRITING: readonly Row[] = [
  [
    'R11-40',
    'rewrite-target',
    'path',
    NONE,
    'location',
    'ignore',
    { built: true, valid: 'a path with `$1` to `$9`, or an `http(s)://` URL with them' },
  ],
  ['R11-41', 'use-regex', 'bool', NONE, 'location', 'default', BUILT],
  ['R11-42', 'app-root', 'path', NONE, 'host', 'ignore', { built: true, valid: 'a path' }],
  [
    'R11-43',
    'x-forwarded-prefix',
    'path',
    NONE,
    'location',
    'ignore',
    { built: true, needs: 'nginx.ingress.kubernetes.io/rewrite-target', valid: 'a path with `$1` to `$9`' },
  ],
  ['R11-44', 'server-alias', 'hosts', NONE, 'host', 'ignore', { built: true, valid: 'up to 256 hosts; per entry' }],
]

const REDIRECTS: readonly Row[] = [
  ['R11-50', 'ssl-redirect', 'bool', 'false', 'location', 'default', { ...BUILT, nginxDefault: 'true' }],
  ['R11-51', 'force-ssl-redirect', 'bool', 'false', 'location', 'default', BUILT],
  ['R11-52', 'preserve-trailing-slash', 'bool', 'true', 'location', 'default', { nginxDefault: 'false' }],
  ['R11-53', 'permanent-redirect', 'url', NONE, 'location', 'ignore'],
  ['R11-53', 'temporal-redirect', 'url', NONE, 'location', 'ignore'],
  ['R11-54', 'permanent-redirect-code', 'int', '301', 'location', 'default', { valid: '300 to 308' }],
  ['R11-54', 'temporal-redirect-code', 'int', '302', 'location', 'default', { valid: '300 to 307' }],
  ['R11-55', 'from-to-www-redirect', 'bool', 'false', 'host', 'default'],
  ['R11-56', 'relative-redirects', 'bool', 'false', 'location', 'default'],
  ['R11-56', 'use-port-in-redirects', 'bool', 'false', 'location', 'default'],
]

const TIMEOUTS_AND_SIZES: readonly Row[] = [
  ['R11-60', 'proxy-connect-timeout', 'secs', '5', 'location', 'default', SECONDS],
  ['R11-61', 'proxy-read-timeout', 'secs', '60', 'location', 'default', SECONDS],
  ['R11-61', 'proxy-send-timeout', 'secs', '60', 'location', 'default', SECONDS],
  [
    'R11-62',
    'proxy-body-size',
    'size',
    '0',
    'location',
    'default',
    { ...BUILT, nginxDefault: '1m', valid: '0 = none' },
  ],
  ['R11-63', 'client-body-buffer-size', 'size', '8k', 'location', 'default', { ...BUILT, valid: 'up to `1m`' }],
  [
    'R11-64',
    'proxy-request-buffering',
    'word',
    'off',
    'location',
    'default',
    { ...ON_OFF, ...BUILT, nginxDefault: 'on' },
  ],
  ['R11-65', 'proxy-buffering', 'word', 'off', 'location', 'default', { ...ON_OFF, ...BUILT }],
  ['R11-66', 'proxy-buffer-size', 'size', '32k', 'location', 'default', { ...BUILT, valid: 'up to `1m`' }],
  [
    'R11-67',
    'proxy-next-upstream',
    'words',
    NONE,
    'location',
    'default',
    { ...BUILT, nginxDefault: 'error timeout', valid: NEXT_UPSTREAM },
  ],
  ['R11-68', 'proxy-next-upstream-tries', 'int', '3', 'location', 'default', { ...BUILT, valid: '0 to 100' }],
  [
    'R11-69',
    'proxy-next-upstream-timeout',
    'int',
    '0',
    'location',
    'default',
    { ...BUILT, valid: '0 or more seconds' },
  ],
  ['R11-70', 'limit-rate', 'int', '0', 'location', 'default', { ...TIER_2, valid: 'KiB' }],
  ['R11-70', 'limit-rate-after', 'int', '0', 'location', 'default', { ...TIER_2, valid: 'KiB' }],
]

const AFFINITY: readonly Row[] = [
  ['R11-101', 'affinity', 'word', NONE, 'backend', 'ignore', { valid: '`cookie`' }],
  ['R11-102', 'affinity-mode', 'word', 'balanced', 'backend', 'default', { valid: '`balanced`, `persistent`' }],
  ['R11-103', 'affinity-canary-behavior', 'word', 'sticky', 'location', 'default', { valid: '`sticky`, `legacy`' }],
  ['R11-104', 'session-cookie-name', 'cookie', 'INGRESSCOOKIE', 'location', 'default'],
  ['R11-105', 'session-cookie-path', 'path', "the route's path", 'location', 'default'],
  ['R11-106', 'session-cookie-domain', 'host', NONE, 'location', 'ignore'],
  ['R11-106', 'session-cookie-max-age', 'int', NONE, 'location', 'ignore'],
  ['R11-106', 'session-cookie-expires', 'int', NONE, 'location', 'ignore'],
  ['R11-107', 'session-cookie-secure', 'bool', 'when the request is https', 'location', 'default'],
  ['R11-108', 'session-cookie-samesite', 'word', NONE, 'location', 'ignore', { valid: '`None`, `Lax`, `Strict`' }],
  ['R11-109', 'session-cookie-conditional-samesite-none', 'bool', 'false', 'location', 'default'],
  ['R11-109', 'session-cookie-change-on-failure', 'bool', 'false', 'location', 'default'],
]

const ERRORS_AND_HEADERS: readonly Row[] = [
  ['R11-125', 'custom-http-errors', 'words', NONE, 'location', 'ignore', { ...TIER_2, valid: '400 to 599' }],
  ['R11-126', 'default-backend', 'object', NONE, 'location', 'ignore', { ...TIER_2, valid: 'a Service' }],
  ['R11-127', 'disable-proxy-intercept-errors', 'bool', 'false', 'location', 'default', TIER_2],
  // Of class deny, and yet no guard (R11-131): unbuilt, it only leaves its headers out.
  ['R11-128', 'custom-headers', 'object', NONE, 'location', 'deny', { ...TIER_2, guardsAccess: false }],
  ['R11-129', 'proxy-cookie-domain', 'words', NONE, 'location', 'ignore', { ...TIER_2, valid: '`off`, or two tokens' }],
  ['R11-129', 'proxy-cookie-path', 'words', NONE, 'location', 'ignore', { ...TIER_2, valid: '`off`, or two tokens' }],
  ['R11-130', 'proxy-redirect-from', 'text', NONE, 'location', 'ignore', TIER_2],
  ['R11-130', 'proxy-redirect-to', 'text', NONE, 'location', 'ignore', TIER_2],
]

const MIRROR_LOGS_TRACES: readonly Row[] = [
  ['R11-132', 'mirror-target', 'url', NONE, 'location', 'ignore', { ...TIER_2, valid: 'with variables' }],
  ['R11-133', 'mirror-host', 'host', 'host of the target', 'location', 'default', TIER_2],
  ['R11-133', 'mirror-request-body', 'word', 'on', 'location', 'default', { ...TIER_2, ...ON_OFF }],
  ['R11-134', 'enable-access-log', 'bool', 'true', 'location', 'default', TIER_2],
  ['R11-135', 'enable-opentelemetry', 'bool', 'where a tracer is set', 'location', 'default', TIER_2],
  ['R11-136', 'opentelemetry-trust-incoming-span', 'bool', 'true', 'location', 'default', TIER_2],
  ['R11-136', 'opentelemetry-operation-name', 'word', 'the route', 'location', 'default', TIER_2],
]

const SNIPPETS: readonly Row[] = [
  ['R11-137', 'configuration-snippet', 'snippet', NONE, 'location', 'ignore', TIER_2],
  ['R11-137', 'server-snippet', 'snippet', NONE, 'host', 'ignore', TIER_2],
]

/** Every row, in the order of the families. */
export const NGINX_ROWS: readonly Row[] = [
  ...CANARY,
  ...BALANCING,
  ...REWRITING,
  ...REDIRECTS,
  ...TIMEOUTS_AND_SIZES,
  ...ACCESS,
  ...CROSS_ORIGIN,
  ...AFFINITY,
  ...TLS,
  ...ERRORS_AND_HEADERS,
  ...MIRROR_LOGS_TRACES,
  ...SNIPPETS,
]
