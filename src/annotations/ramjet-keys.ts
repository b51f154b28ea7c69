// Ramjet's own annotations and Kubernetes' class keys (R11-18, R11-19, R11-138 to R11-156).
import { NONE, type Row } from './annotation-spec.ts'

const MIRROR = { needs: 'ramjet.dev/mirror-backend' }
const PROMOTE = { needs: 'ramjet.dev/auto-promote' }
const CHECK = 'needs health-check-path, or health-mode: probe'
const WRITTEN = { writtenByUs: true }

/** Without their prefix. */
export const RAMJET_ROWS: readonly Row[] = [
  ['R11-138', 'mirror-backend', 'object', NONE, 'location', 'ignore', { valid: '`[namespace/]service:port`' }],
  ['R11-138', 'mirror-host', 'host', NONE, 'location', 'ignore', MIRROR],
  ['R11-139', 'mirror-percent', 'int', '100', 'location', 'default', { ...MIRROR, valid: '0 to 100' }],
  ['R11-140', 'auto-promote', 'bool', 'false', 'location', 'default'],
  ['R11-140', 'auto-promote-interval', 'duration', '60s', 'location', 'default', PROMOTE],
  ['R11-140', 'auto-promote-steps', 'words', '5,10,25,50,100', 'location', 'default', PROMOTE],
  ['R11-140', 'auto-promote-max-5xx-percent', 'int', '1', 'location', 'default', PROMOTE],
  ['R11-140', 'auto-promote-max-latency-factor', 'text', '1.5', 'location', 'default', PROMOTE],
  ['R11-140', 'auto-promote-min-requests', 'int', '50', 'location', 'default', PROMOTE],
  [
    'R11-140',
    'auto-promote-latency-percentile',
    'word',
    NONE,
    'location',
    'default',
    { ...PROMOTE, valid: '`p50` to `p99`' },
  ],
  [
    'R11-141',
    'health-check-path',
    'path',
    NONE,
    'backend',
    'ignore',
    { built: true, valid: 'a path, with a query or without' },
  ],
  ['R11-142', 'health-check-interval', 'duration', '5s', 'backend', 'default', { valid: CHECK, built: true }],
  ['R11-142', 'health-check-timeout', 'duration', '1s', 'backend', 'default', { valid: CHECK, built: true }],
  ['R11-143', 'health-check-healthy', 'int', '1', 'backend', 'default', { valid: '1 to 100', built: true }],
  ['R11-143', 'health-check-unhealthy', 'int', '3', 'backend', 'default', { valid: '1 to 100', built: true }],
  [
    'R11-143',
    'health-check-status',
    'words',
    '200-399',
    'backend',
    'default',
    { valid: 'statuses and ranges', built: true },
  ],
  ['R11-144', 'health-mode', 'word', 'provider', 'backend', 'default', { valid: '`provider`, `probe`', built: true }],
  ['R11-145', 'slow-start', 'duration', NONE, 'backend', 'ignore', { built: true }],
  ['R11-146', 'endpoint-fallback', 'word', NONE, 'backend', 'ignore', { valid: '`cluster-dns`' }],
  ['R11-147', 'rate-limit-status', 'int', '429', 'location', 'default', { valid: '`429`, `503`', nginxDefault: '503' }],
  [
    'R11-148',
    'rewrite-target',
    'path',
    NONE,
    'location',
    'ignore',
    { valid: 'a path with captures by number or name, in braces', built: true },
  ],
  ['R11-149', 'use-regex', 'bool', NONE, 'location', 'default', { built: true }],
  ['R11-150', 'handler', 'word', NONE, 'location', 'ignore'],
  ['R11-150', 'cache-name', 'word', NONE, 'location', 'ignore'],
  ['R11-150', 'negative-cache-name', 'word', NONE, 'location', 'ignore'],
  ['R11-151', 'max-ttl', 'duration', NONE, 'location', 'ignore'],
  ['R11-151', 'timeout', 'duration', NONE, 'location', 'ignore'],
  ['R11-151', 'collapsed-forwarding', 'word', NONE, 'location', 'ignore', { valid: '`basic`, `progressive`' }],
  ['R11-152', 'request-headers', 'lines', NONE, 'location', 'ignore'],
  ['R11-152', 'response-headers', 'lines', NONE, 'location', 'ignore'],
  ['R11-153', 'cors-mode', 'word', NONE, 'location', 'ignore'],
  ['R11-153', 'cors-headers', 'lines', NONE, 'location', 'ignore'],
  ['R11-156', 'observed-generation', 'int', NONE, 'ingress', 'ignore', WRITTEN],
  ['R11-156', 'auto-promote-status', 'text', NONE, 'ingress', 'ignore', WRITTEN],
]

/** With their prefix: what they say is read by the claim. */
export const CLASS_ROWS: readonly Row[] = [
  ['R11-18', 'kubernetes.io/ingress.class', 'text', NONE, 'ingress', 'unclaimed', { built: true }],
  ['R11-19', 'ingressclass.kubernetes.io/is-default-class', 'bool', 'false', 'class', 'default', { built: true }],
]
