// The annotations of ingress-nginx about TLS, with clients and with backends, without their prefix.
import { NONE, type Row } from './annotation-spec.ts'

const TIER_2 = { tier: 2 } as const
const BUILT = { built: true } as const
const CLIENT_TLS = { needs: 'nginx.ingress.kubernetes.io/auth-tls-secret', tier: 2 } as const
const UPSTREAM_TLS = { needs: 'nginx.ingress.kubernetes.io/proxy-ssl-secret', tier: 2, built: true } as const
const CIPHERS = 'ciphers as OpenSSL lists them'
const SERVER_CIPHERS = `${CIPHERS}, without \`@SECLEVEL\``
const ON_OFF = { valid: '`on`, `off`' }

/** R11-111 to R11-124. */
export const TLS: readonly Row[] = [
  ['R11-111', 'ssl-passthrough', 'bool', 'false', 'host', 'default', { ...TIER_2, ...BUILT }],
  [
    'R11-112',
    'ssl-ciphers',
    'words',
    "Ramjet's own",
    'host',
    'default',
    { ...TIER_2, ...BUILT, valid: SERVER_CIPHERS },
  ],
  ['R11-112', 'ssl-prefer-server-ciphers', 'bool', "Ramjet's own", 'host', 'default', { ...TIER_2, ...BUILT }],
  ['R11-113', 'auth-tls-secret', 'object', NONE, 'host', 'deny', { ...TIER_2, valid: 'with `ca.crt`' }],
  [
    'R11-114',
    'auth-tls-verify-client',
    'word',
    'on',
    'host',
    'default',
    { ...CLIENT_TLS, valid: '`on`, `off`, `optional`, `optional_no_ca`' },
  ],
  [
    'R11-115',
    'auth-tls-verify-depth',
    'int',
    '1',
    'host',
    'default',
    { ...CLIENT_TLS, valid: '0 to 20; 0 reads as 1' },
  ],
  ['R11-116', 'auth-tls-error-page', 'url', NONE, 'host', 'ignore', { ...CLIENT_TLS, valid: 'or a path' }],
  ['R11-117', 'auth-tls-pass-certificate-to-upstream', 'bool', 'false', 'host', 'default', CLIENT_TLS],
  ['R11-118', 'auth-tls-match-cn', 'pattern', NONE, 'host', 'deny', { ...CLIENT_TLS, valid: 'after `CN=`' }],
  [
    'R11-119',
    'proxy-ssl-secret',
    'object',
    NONE,
    'backend',
    'deny',
    { ...TIER_2, ...BUILT, valid: 'with `ca.crt`, or `tls.crt` and `tls.key`, or both' },
  ],
  ['R11-120', 'proxy-ssl-verify', 'word', 'off', 'backend', 'deny', { ...UPSTREAM_TLS, ...ON_OFF }],
  ['R11-121', 'proxy-ssl-name', 'host', NONE, 'backend', 'deny', UPSTREAM_TLS],
  ['R11-122', 'proxy-ssl-verify-depth', 'int', '1', 'backend', 'default', { ...UPSTREAM_TLS, valid: '0 to 20' }],
  ['R11-122', 'proxy-ssl-server-name', 'word', 'off', 'backend', 'default', { ...UPSTREAM_TLS, ...ON_OFF }],
  [
    'R11-123',
    'proxy-ssl-protocols',
    'words',
    'TLSv1.2 TLSv1.3',
    'backend',
    'default',
    { ...UPSTREAM_TLS, valid: '`TLSv1.2`, `TLSv1.3`' },
  ],
  ['R11-123', 'proxy-ssl-ciphers', 'words', "the runtime's", 'backend', 'default', { ...UPSTREAM_TLS, valid: CIPHERS }],
]
