// The annotations of ingress-nginx that say who may ask for something, without their prefix.
import { NONE, type Row } from './annotation-spec.ts'

const BASIC = { needs: 'nginx.ingress.kubernetes.io/auth-type' }
const EXTERNAL = { needs: 'nginx.ingress.kubernetes.io/auth-url' }
const CORS = { needs: 'nginx.ingress.kubernetes.io/enable-cors' }
// A limit is no access rule by its class, but dropping it in silence lets everybody in (R11-163).
const LIMIT = { valid: '1 or more; 0 = off', guardsAccess: true, offValues: ['0'] }
const ALLOWLIST = 'nginx.ingress.kubernetes.io/allowlist-source-range'
const LIMIT_ALLOWLIST = 'nginx.ingress.kubernetes.io/limit-allowlist'

/** Who may get in, and how often (R11-74 to R11-94). */
export const ACCESS: readonly Row[] = [
  ['R11-74', 'allowlist-source-range', 'cidrs', NONE, 'location', 'deny'],
  ['R11-74', 'whitelist-source-range', 'cidrs', NONE, 'location', 'deny', { aliasOf: ALLOWLIST }],
  ['R11-74', 'denylist-source-range', 'cidrs', NONE, 'location', 'deny'],
  ['R11-75', 'satisfy', 'word', 'all', 'location', 'default', { valid: '`all`, `any`' }],
  ['R11-76', 'auth-type', 'word', NONE, 'location', 'deny', { valid: '`basic`' }],
  ['R11-77', 'auth-secret', 'object', NONE, 'location', 'deny', BASIC],
  [
    'R11-78',
    'auth-secret-type',
    'word',
    'auth-file',
    'location',
    'deny',
    { ...BASIC, valid: '`auth-file`, `auth-map`' },
  ],
  ['R11-79', 'auth-realm', 'text', '', 'location', 'default', BASIC],
  ['R11-80', 'auth-url', 'url', NONE, 'location', 'deny', { valid: 'with variables' }],
  ['R11-81', 'auth-method', 'word', 'GET', 'location', 'deny', { ...EXTERNAL, valid: 'a method' }],
  ['R11-82', 'auth-response-headers', 'headers', NONE, 'location', 'deny', EXTERNAL],
  ['R11-82', 'auth-proxy-set-headers', 'object', NONE, 'location', 'deny', { ...EXTERNAL, valid: 'a ConfigMap' }],
  ['R11-83', 'auth-signin', 'url', NONE, 'location', 'ignore', { ...EXTERNAL, valid: 'with variables' }],
  ['R11-84', 'auth-signin-redirect-param', 'text', 'rd', 'location', 'default', EXTERNAL],
  ['R11-84', 'auth-request-redirect', 'variables', '$request_uri', 'location', 'default', EXTERNAL],
  ['R11-85', 'auth-cache-key', 'variables', NONE, 'location', 'ignore', EXTERNAL],
  ['R11-85', 'auth-cache-duration', 'words', '200 202 401 5m', 'location', 'ignore', EXTERNAL],
  ['R11-86', 'auth-always-set-cookie', 'bool', 'false', 'location', 'default', EXTERNAL],
  ['R11-87', 'limit-rps', 'int', NONE, 'location', 'ignore', LIMIT],
  ['R11-87', 'limit-rpm', 'int', NONE, 'location', 'ignore', LIMIT],
  ['R11-87', 'limit-connections', 'int', NONE, 'location', 'ignore', LIMIT],
  ['R11-88', 'limit-burst-multiplier', 'int', '5', 'location', 'default', { valid: '1 or more' }],
  ['R11-89', 'limit-allowlist', 'cidrs', NONE, 'location', 'ignore'],
  ['R11-89', 'limit-whitelist', 'cidrs', NONE, 'location', 'ignore', { aliasOf: LIMIT_ALLOWLIST }],
]

/** R11-95 to R11-100. */
export const CROSS_ORIGIN: readonly Row[] = [
  ['R11-95', 'enable-cors', 'bool', 'false', 'location', 'default'],
  [
    'R11-96',
    'cors-allow-origin',
    'words',
    '*',
    'location',
    'ignore',
    { ...CORS, valid: 'origins, `null`, `*`; per entry' },
  ],
  ['R11-97', 'cors-allow-methods', 'words', 'GET, PUT, POST, DELETE, PATCH, OPTIONS', 'location', 'default', CORS],
  [
    'R11-97',
    'cors-allow-headers',
    'headers',
    'DNT,Keep-Alive,User-Agent,X-Requested-With,If-Modified-Since,Cache-Control,Content-Type,Range,Authorization',
    'location',
    'default',
    CORS,
  ],
  ['R11-98', 'cors-expose-headers', 'headers', NONE, 'location', 'ignore', { ...CORS, valid: 'or `*`' }],
  ['R11-99', 'cors-allow-credentials', 'bool', 'true', 'location', 'default', CORS],
  ['R11-99', 'cors-max-age', 'int', '1728000', 'location', 'default', { ...CORS, valid: '0 or more' }],
]
