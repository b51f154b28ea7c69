// The JSON Schema of a file of routes (R20-177). test/manifests/routes-schema.test.ts holds it against the reader.
import type { Page } from './markdown.ts'

const DURATION = { type: 'string', pattern: '^[0-9]{1,12}([.][0-9]{1,6})?(ms|s|m|h)$' }
const PLAIN_POLICIES = ['roundRobin', 'round_robin', 'rr', 'leastConn', 'lc', 'random', 'p2c', 'ewma', 'lt']

const HEALTH_CHECK = {
  type: 'object',
  description: 'Checks every endpoint by itself; one that fails gets no request while others are left.',
  additionalProperties: false,
  properties: {
    path: { type: 'string', pattern: '^/[!-"$-~]{0,1023}$', default: '/' },
    interval: { ...DURATION, description: 'From start to start; at least 100ms.', default: '5s' },
    timeout: { ...DURATION, default: '1s' },
    healthy: { type: 'integer', minimum: 1, maximum: 100, default: 1 },
    unhealthy: { type: 'integer', minimum: 1, maximum: 100, default: 3 },
    status: {
      description: 'Statuses and ranges of them that are good, such as 200,300-399.',
      anyOf: [
        { type: 'string', pattern: '^[1-5][0-9]{2}(-[1-5][0-9]{2})?(,[1-5][0-9]{2}(-[1-5][0-9]{2})?)*$' },
        { type: 'integer', minimum: 100, maximum: 599 },
      ],
      default: '200-399',
    },
  },
}

const LONG_ENDPOINT = {
  type: 'object',
  additionalProperties: false,
  required: ['address'],
  properties: {
    address: { $ref: '#/$defs/address' },
    weight: { type: 'integer', minimum: 0, maximum: 1_000_000, default: 1, description: '0 drains it.' },
  },
}

const BACKEND = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'endpoints'],
  properties: {
    name: { $ref: '#/$defs/name' },
    policy: {
      description: 'How an endpoint is chosen; a hash may name its key, such as hash:$remote_addr.',
      anyOf: [{ enum: PLAIN_POLICIES }, { type: 'string', pattern: '^(hash|hrw)(:.+)?$' }],
      default: 'roundRobin',
    },
    endpoints: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/address' }, { $ref: '#/$defs/endpoint' }] } },
    slowStart: {
      ...DURATION,
      description: 'For how long an endpoint that comes later than others grows to its share.',
    },
    healthCheck: { $ref: '#/$defs/healthCheck' },
    protocol: {
      description: 'HTTPS is HTTP/1.1 over TLS, GRPC is HTTP/2 without TLS, GRPCS is HTTP/2 over TLS.',
      type: 'string',
      pattern: '^([Hh][Tt][Tt][Pp]|[Gg][Rr][Pp][Cc])[Ss]?$',
      default: 'HTTP',
    },
    tls: { $ref: '#/$defs/upstreamTls' },
  },
}

const PEM = { type: 'string', minLength: 1, description: 'Path of a PEM file, relative to this one.' }

const UPSTREAM_TLS = {
  type: 'object',
  description: 'With protocol HTTPS or GRPCS.',
  additionalProperties: false,
  properties: {
    verify: {
      type: 'boolean',
      default: false,
      description:
        'Whether the certificate must be right, in chain and name. Without it the connection is private and nothing more.',
    },
    serverName: { type: 'string', description: 'The name that is verified and sent.' },
    ca: { ...PEM, description: `Authorities. ${PEM.description}` },
    cert: { ...PEM, description: `A certificate to show. ${PEM.description}` },
    key: PEM,
  },
  dependentRequired: { cert: ['key'], key: ['cert'] },
}

const TLS = {
  type: 'object',
  additionalProperties: false,
  required: ['cert', 'key'],
  properties: {
    host: {
      type: 'string',
      description: 'A name, or *. and a name. Absent, or *: the default certificate, for all names without one.',
    },
    cert: { ...PEM, description: `The chain, the leaf first. ${PEM.description}` },
    key: PEM,
  },
}

const ROUTE = {
  type: 'object',
  additionalProperties: false,
  required: ['path', 'backend'],
  properties: {
    host: { type: 'string', description: 'A name, or *. and a name. Absent: every name that no other route claims.' },
    path: { type: 'string' },
    pathType: { enum: ['Exact', 'Prefix', 'ImplementationSpecific'], default: 'Prefix' },
    backend: { $ref: '#/$defs/name' },
  },
}

/** The schema of a file of routes, as it stands in docs/routes.schema.json. */
export const ROUTES_SCHEMA = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $comment: 'Made from hack/docs/routes-schema.ts by npm run docs. Edit that, not this.',
  title: 'Routes of Ramjet',
  type: 'object',
  additionalProperties: false,
  properties: {
    defaultBackend: { $ref: '#/$defs/name', description: 'Takes what no route takes; without it: 404.' },
    backends: { type: 'array', items: { $ref: '#/$defs/backend' } },
    routes: { type: 'array', items: { $ref: '#/$defs/route' } },
    tls: { type: 'array', items: { $ref: '#/$defs/tls' } },
  },
  $defs: {
    name: { type: 'string', pattern: '^[A-Za-z0-9]([A-Za-z0-9_.-]{0,126}[A-Za-z0-9])?$' },
    address: { type: 'string', pattern: '^([0-9.]+|\\[[0-9A-Fa-f:.]+\\]):[0-9]{1,5}$', description: 'IP:PORT' },
    backend: BACKEND,
    endpoint: LONG_ENDPOINT,
    healthCheck: HEALTH_CHECK,
    route: ROUTE,
    tls: TLS,
    upstreamTls: UPSTREAM_TLS,
  },
}

export function routesSchemaPage(): Page {
  return {
    file: 'docs/routes.schema.json',
    source: 'hack/docs/routes-schema.ts',
    title: ROUTES_SCHEMA.title,
    body: JSON.stringify(ROUTES_SCHEMA, null, 2),
  }
}
