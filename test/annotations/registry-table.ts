// What the specification's tables say, beside the registry, so that a slip in one of the two shows (R11-1).

export interface TableRow {
  readonly rule: string
  /** With its prefix. */
  readonly key: string
  /** `-`: none. */
  readonly defaultValue: string
  readonly scope: string
  readonly onBad: string
}

/** Rule, key, default, scope, what a bad value does. */
const TEXT = `
R11-18 | kubernetes.io/ingress.class | - | ingress | unclaimed
R11-19 | ingressclass.kubernetes.io/is-default-class | false | class | default
R11-20 | nginx/canary | false | location | default
R11-21 | nginx/canary-weight | 0 | location | default
R11-22 | nginx/canary-weight-total | 100 | location | default
R11-23 | nginx/canary-by-header | - | location | ignore
R11-24 | nginx/canary-by-header-value | - | location | ignore
R11-25 | nginx/canary-by-header-pattern | - | location | ignore
R11-26 | nginx/canary-by-cookie | - | location | ignore
R11-29 | nginx/backend-protocol | HTTP | backend | default
R11-30 | nginx/load-balance | round_robin | backend | default
R11-31 | nginx/upstream-hash-by | - | backend | ignore
R11-32 | nginx/upstream-hash-by-subset | false | backend | default
R11-32 | nginx/upstream-hash-by-subset-size | 3 | backend | default
R11-33 | nginx/service-upstream | false | backend | default
R11-34 | nginx/upstream-vhost | - | location | ignore
R11-35 | nginx/proxy-http-version | 1.1 | location | default
R11-36 | nginx/connection-proxy-header | - | location | ignore
R11-40 | nginx/rewrite-target | - | location | ignore
R11-41 | nginx/use-regex | - | location | default
R11-42 | nginx/app-root | - | host | ignore
R11-43 | nginx/x-forwarded-prefix | - | location | ignore
R11-44 | nginx/server-alias | - | host | ignore
R11-50 | nginx/ssl-redirect | false | location | default
R11-51 | nginx/force-ssl-redirect | false | location | default
R11-52 | nginx/preserve-trailing-slash | true | location | default
R11-53 | nginx/permanent-redirect | - | location | ignore
R11-53 | nginx/temporal-redirect | - | location | ignore
R11-54 | nginx/permanent-redirect-code | 301 | location | default
R11-54 | nginx/temporal-redirect-code | 302 | location | default
R11-55 | nginx/from-to-www-redirect | false | host | default
R11-56 | nginx/relative-redirects | false | location | default
R11-56 | nginx/use-port-in-redirects | false | location | default
R11-60 | nginx/proxy-connect-timeout | 5 | location | default
R11-61 | nginx/proxy-read-timeout | 60 | location | default
R11-61 | nginx/proxy-send-timeout | 60 | location | default
R11-62 | nginx/proxy-body-size | 0 | location | default
R11-63 | nginx/client-body-buffer-size | 8k | location | default
R11-64 | nginx/proxy-request-buffering | off | location | default
R11-65 | nginx/proxy-buffering | off | location | default
R11-66 | nginx/proxy-buffer-size | 32k | location | default
R11-67 | nginx/proxy-next-upstream | - | location | default
R11-68 | nginx/proxy-next-upstream-tries | 3 | location | default
R11-69 | nginx/proxy-next-upstream-timeout | 0 | location | default
R11-70 | nginx/limit-rate | 0 | location | default
R11-70 | nginx/limit-rate-after | 0 | location | default
R11-74 | nginx/allowlist-source-range | - | location | deny
R11-74 | nginx/whitelist-source-range | - | location | deny
R11-74 | nginx/denylist-source-range | - | location | deny
R11-75 | nginx/satisfy | all | location | default
R11-76 | nginx/auth-type | - | location | deny
R11-77 | nginx/auth-secret | - | location | deny
R11-78 | nginx/auth-secret-type | auth-file | location | deny
R11-79 | nginx/auth-realm |  | location | default
R11-80 | nginx/auth-url | - | location | deny
R11-81 | nginx/auth-method | GET | location | deny
R11-82 | nginx/auth-response-headers | - | location | deny
R11-82 | nginx/auth-proxy-set-headers | - | location | deny
R11-83 | nginx/auth-signin | - | location | ignore
R11-84 | nginx/auth-signin-redirect-param | rd | location | default
R11-84 | nginx/auth-request-redirect | $request_uri | location | default
R11-85 | nginx/auth-cache-key | - | location | ignore
R11-85 | nginx/auth-cache-duration | 200 202 401 5m | location | ignore
R11-86 | nginx/auth-always-set-cookie | false | location | default
R11-87 | nginx/limit-rps | - | location | ignore
R11-87 | nginx/limit-rpm | - | location | ignore
R11-87 | nginx/limit-connections | - | location | ignore
R11-88 | nginx/limit-burst-multiplier | 5 | location | default
R11-89 | nginx/limit-allowlist | - | location | ignore
R11-89 | nginx/limit-whitelist | - | location | ignore
R11-95 | nginx/enable-cors | false | location | default
R11-96 | nginx/cors-allow-origin | * | location | ignore
R11-97 | nginx/cors-allow-methods | GET, PUT, POST, DELETE, PATCH, OPTIONS | location | default
R11-97 | nginx/cors-allow-headers | DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization | location | default
R11-98 | nginx/cors-expose-headers | - | location | ignore
R11-99 | nginx/cors-allow-credentials | true | location | default
R11-99 | nginx/cors-max-age | 1728000 | location | default
R11-101 | nginx/affinity | - | backend | ignore
R11-102 | nginx/affinity-mode | balanced | backend | default
R11-103 | nginx/affinity-canary-behavior | sticky | location | default
R11-104 | nginx/session-cookie-name | INGRESSCOOKIE | location | default
R11-105 | nginx/session-cookie-path | the route's path | location | default
R11-106 | nginx/session-cookie-domain | - | location | ignore
R11-106 | nginx/session-cookie-max-age | - | location | ignore
R11-106 | nginx/session-cookie-expires | - | location | ignore
R11-107 | nginx/session-cookie-secure | when the request is https | location | default
R11-108 | nginx/session-cookie-samesite | - | location | ignore
R11-109 | nginx/session-cookie-conditional-samesite-none | false | location | default
R11-109 | nginx/session-cookie-change-on-failure | false | location | default
R11-111 | nginx/ssl-passthrough | false | host | default
R11-112 | nginx/ssl-ciphers | Ramjet's own | host | default
R11-112 | nginx/ssl-prefer-server-ciphers | Ramjet's own | host | default
R11-113 | nginx/auth-tls-secret | - | host | deny
R11-114 | nginx/auth-tls-verify-client | on | host | default
R11-115 | nginx/auth-tls-verify-depth | 1 | host | default
R11-116 | nginx/auth-tls-error-page | - | host | ignore
R11-117 | nginx/auth-tls-pass-certificate-to-upstream | false | host | default
R11-118 | nginx/auth-tls-match-cn | - | host | deny
R11-119 | nginx/proxy-ssl-secret | - | backend | deny
R11-120 | nginx/proxy-ssl-verify | off | backend | deny
R11-121 | nginx/proxy-ssl-name | - | backend | deny
R11-122 | nginx/proxy-ssl-verify-depth | 1 | backend | default
R11-122 | nginx/proxy-ssl-server-name | off | backend | default
R11-123 | nginx/proxy-ssl-protocols | TLSv1.2 TLSv1.3 | backend | default
R11-123 | nginx/proxy-ssl-ciphers | the runtime's | backend | default
R11-125 | nginx/custom-http-errors | - | location | ignore
R11-126 | nginx/default-backend | - | location | ignore
R11-127 | nginx/disable-proxy-intercept-errors | false | location | default
R11-128 | nginx/custom-headers | - | location | deny
R11-129 | nginx/proxy-cookie-domain | - | location | ignore
R11-129 | nginx/proxy-cookie-path | - | location | ignore
R11-130 | nginx/proxy-redirect-from | - | location | ignore
R11-130 | nginx/proxy-redirect-to | - | location | ignore
R11-132 | nginx/mirror-target | - | location | ignore
R11-133 | nginx/mirror-host | host of the target | location | default
R11-133 | nginx/mirror-request-body | on | location | default
R11-134 | nginx/enable-access-log | true | location | default
R11-135 | nginx/enable-opentelemetry | where a tracer is set | location | default
R11-136 | nginx/opentelemetry-trust-incoming-span | true | location | default
R11-136 | nginx/opentelemetry-operation-name | the route | location | default
R11-137 | nginx/configuration-snippet | - | location | ignore
R11-137 | nginx/server-snippet | - | host | ignore
R11-138 | ramjet/mirror-backend | - | location | ignore
R11-138 | ramjet/mirror-host | - | location | ignore
R11-139 | ramjet/mirror-percent | 100 | location | default
R11-140 | ramjet/auto-promote | false | location | default
R11-140 | ramjet/auto-promote-interval | 60s | location | default
R11-140 | ramjet/auto-promote-steps | 5,10,25,50,100 | location | default
R11-140 | ramjet/auto-promote-max-5xx-percent | 1 | location | default
R11-140 | ramjet/auto-promote-max-latency-factor | 1.5 | location | default
R11-140 | ramjet/auto-promote-min-requests | 50 | location | default
R11-140 | ramjet/auto-promote-latency-percentile | - | location | default
R11-141 | ramjet/health-check-path | - | backend | ignore
R11-142 | ramjet/health-check-interval | 5s | backend | default
R11-142 | ramjet/health-check-timeout | 1s | backend | default
R11-143 | ramjet/health-check-healthy | 1 | backend | default
R11-143 | ramjet/health-check-unhealthy | 3 | backend | default
R11-143 | ramjet/health-check-status | 200-399 | backend | default
R11-144 | ramjet/health-mode | provider | backend | default
R11-145 | ramjet/slow-start | - | backend | ignore
R11-146 | ramjet/endpoint-fallback | - | backend | ignore
R11-147 | ramjet/rate-limit-status | 429 | location | default
R11-148 | ramjet/rewrite-target | - | location | ignore
R11-149 | ramjet/use-regex | - | location | default
R11-150 | ramjet/handler | - | location | ignore
R11-150 | ramjet/cache-name | - | location | ignore
R11-150 | ramjet/negative-cache-name | - | location | ignore
R11-151 | ramjet/max-ttl | - | location | ignore
R11-151 | ramjet/timeout | - | location | ignore
R11-151 | ramjet/collapsed-forwarding | - | location | ignore
R11-152 | ramjet/request-headers | - | location | ignore
R11-152 | ramjet/response-headers | - | location | ignore
R11-153 | ramjet/cors-mode | - | location | ignore
R11-153 | ramjet/cors-headers | - | location | ignore
R11-156 | ramjet/observed-generation | - | ingress | ignore
R11-156 | ramjet/auto-promote-status | - | ingress | ignore
`

/** What stands in the tables under R11-18 to R11-156, by rule. */
export const REGISTRY_TABLE: readonly TableRow[] = TEXT.trim().split('\n').map(rowOf)

function rowOf(line: string): TableRow {
  const [rule = '', key = '', defaultValue = '', scope = '', onBad = ''] = line.split(' | ')
  return { rule, key: keyOf(key), defaultValue, scope, onBad }
}

function keyOf(text: string): string {
  return text.replace(/^nginx\//, 'nginx.ingress.kubernetes.io/').replace(/^ramjet\//, 'ramjet.dev/')
}
