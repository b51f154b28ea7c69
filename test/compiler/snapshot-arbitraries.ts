// Small random clusters whose objects meet: few hosts, few Services, few paths.
import * as fc from 'fast-check'
import { NGINX_PREFIX, RAMJET_PREFIX } from '../../src/annotations/registry.ts'
import type { DataObject, Service } from '../../src/api/core.ts'
import type { EndpointSlice } from '../../src/api/discovery.ts'
import type { Ingress, IngressClass } from '../../src/api/networking.ts'
import type { ResolvedName, RouteFile, TlsSecret } from '../../src/compiler/snapshot.ts'
import { badSecret, certificate, goodSecret } from '../builders/certificates.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { secret } from '../builders/secret.ts'
import { service, withSpec } from '../builders/service.ts'
import { makeCertificate } from '../fakes/certificates.ts'

const AUTHORITY = makeCertificate(['ca.example'], { isAuthority: true })

export const INGRESS_KEYS = ['shop/a', 'shop/b', 'shop/c', 'bank/a', 'shop/constructor', 'bank/__proto__']
export const SERVICE_KEYS = ['shop/web', 'shop/api', 'bank/web']
export const CLASS_NAMES = ['ramjet', 'other']

const HOSTS = ['a.example', 'b.example', '*.example', 'A.Example', 'a..example', undefined]
const PATHS = ['/', '/x', '/x/', '/x/y', '/a%zz', '/x.*', '/y[0-9]', '/a(', '']
const PATH_TYPES = ['Exact', 'Prefix', 'ImplementationSpecific', 'Fuzzy', undefined]
const BACKENDS = ['web:80', 'web:80', 'web:http', 'api:80', 'none:80', 'web:nope']
const ANNOTATIONS: readonly (readonly [string, string])[] = [
  [`${NGINX_PREFIX}auth-url`, 'https://auth.example'],
  [`${NGINX_PREFIX}auth-tls-secret`, 'ca'],
  [`${NGINX_PREFIX}proxy-ssl-secret`, 'ca'],
  [`${NGINX_PREFIX}proxy-ssl-secret`, 'other'],
  [`${NGINX_PREFIX}backend-protocol`, 'HTTPS'],
  [`${NGINX_PREFIX}backend-protocol`, 'grpc'],
  [`${NGINX_PREFIX}backend-protocol`, 'FCGI'],
  [`${NGINX_PREFIX}proxy-ssl-verify`, 'on'],
  [`${NGINX_PREFIX}proxy-ssl-name`, 'b.example'],
  [`${NGINX_PREFIX}canary`, 'true'],
  [`${NGINX_PREFIX}ssl-redirect`, 'true'],
  [`${NGINX_PREFIX}ssl-redirect`, 'true'],
  [`${NGINX_PREFIX}force-ssl-redirect`, 'true'],
  [`${NGINX_PREFIX}ssl-passthrough`, 'true'],
  [`${NGINX_PREFIX}ssl-passthrough`, 'false'],
  [`${NGINX_PREFIX}ssl-ciphers`, 'HIGH'],
  [`${RAMJET_PREFIX}unknown`, 'x'],
  [`${NGINX_PREFIX}load-balance`, 'ewma'],
  [`${NGINX_PREFIX}load-balance`, 'hash:$uri'],
  [`${NGINX_PREFIX}load-balance`, 'fastest'],
  [`${NGINX_PREFIX}service-upstream`, 'true'],
  [`${RAMJET_PREFIX}health-check-path`, '/ok'],
  [`${NGINX_PREFIX}proxy-read-timeout`, '7'],
  [`${NGINX_PREFIX}proxy-body-size`, 'huge'],
  [`${NGINX_PREFIX}proxy-next-upstream`, 'error http_503'],
  [`${NGINX_PREFIX}rewrite-target`, '/$1'],
  [`${NGINX_PREFIX}rewrite-target`, 'https://new.example/'],
  [`${RAMJET_PREFIX}rewrite-target`, `/v2\${0}`],
  [`${NGINX_PREFIX}use-regex`, 'true'],
  [`${RAMJET_PREFIX}use-regex`, 'false'],
  [`${NGINX_PREFIX}app-root`, '/app'],
  [`${NGINX_PREFIX}app-root`, '/other'],
  [`${NGINX_PREFIX}server-alias`, 'b.example, alias.example'],
  [`${NGINX_PREFIX}server-alias`, 'alias.example'],
  [`${NGINX_PREFIX}server-alias`, 'a.example,c.example'],
  ['kubernetes.io/ingress.class', 'ramjet'],
]

const rule = fc.record({
  host: fc.constantFrom(...HOSTS),
  paths: fc.array(fc.tuple(fc.constantFrom(...PATHS), fc.constantFrom(...PATH_TYPES), fc.constantFrom(...BACKENDS)), {
    maxLength: 3,
  }),
})

const tlsEntry = fc.record({
  secretName: fc.constantFrom('one', 'one', 'two', 'no secret', undefined),
  hosts: fc.array(fc.constantFrom('a.example', 'b.example', '*.example', 'a..example'), { maxLength: 2 }),
})

export const TLS_SECRET_KEYS = ['shop/one', 'shop/two', 'bank/one', 'system/default']

const certificates = fc.constantFrom(
  certificate('a', { names: ['a.example'] }),
  certificate('wildcard', { names: ['*.example', 'example'] }),
  certificate('b', { names: ['a.example', 'b.example'], keyType: 'rsa' }),
)

/** What a Secret holds for TLS: something good, the same as another, nothing of use, and that with what it held before. */
export const tlsSecretArbitrary: fc.Arbitrary<TlsSecret> = fc.oneof(
  certificates.map((current) => goodSecret(current)),
  certificates.map((current) => goodSecret(current, true)),
  certificates.map((lastGood) => badSecret('has no tls.key', lastGood)),
  fc.constant(badSecret('does not exist')),
)

export function ingressArbitrary(key: string): fc.Arbitrary<Ingress> {
  return fc
    .record({
      rules: fc.array(rule, { maxLength: 2 }),
      className: fc.constantFrom('ramjet', 'ramjet', 'ramjet', 'other', 'missing', undefined),
      defaultBackend: fc.constantFrom(undefined, undefined, 'api:80', 'none:80'),
      annotations: fc.array(fc.constantFrom(...ANNOTATIONS), { maxLength: 3 }),
      tls: fc.array(tlsEntry, { maxLength: 2 }),
      age: fc.nat({ max: 3 }),
    })
    .map(({ rules, className, defaultBackend, annotations, tls, age }) => {
      const builder = ingress(key).className(className).age(age)
      for (const { host, paths } of rules) {
        builder.host(host)
        for (const [path, type, backend] of paths) builder.typed(path, type, backend)
      }
      if (defaultBackend !== undefined) builder.defaultBackend(defaultBackend)
      for (const annotation of annotations) builder.annotate(...annotation)
      for (const { secretName, hosts } of tls) builder.tls(secretName, ...hosts)
      return builder.build()
    })
}

export function serviceArbitrary(key: string): fc.Arbitrary<Service> {
  return fc.constantFrom(
    service(key, 'http=80'),
    service(key, '80'),
    service(key, 'http=80', 'nope=81'),
    withSpec(service(key), { ports: [{ name: 'http', port: 80, appProtocol: 'kubernetes.io/h2c' }] }),
    withSpec(service(key), { clusterIP: 'None', ports: [{ name: 'http', port: 80, targetPort: 'named' }] }),
    withSpec(service(key), { clusterIP: 'None', ports: [{ name: 'http', port: 80, targetPort: 8080 }] }),
    withSpec(service(key, '80'), { type: 'ExternalName', externalName: 'db.example' }),
    withSpec(service(key), { type: 'ExternalName', externalName: 'db.example' }),
  )
}

export const SECRET_KEYS = ['Secret shop/ca', 'Secret shop/other', 'Secret bank/ca']

/** A Secret as wanted objects have it: with good authorities, with bad ones, with none. */
export function secretArbitrary(key: string): fc.Arbitrary<DataObject> {
  const name = key.slice('Secret '.length)
  return fc.constantFrom(
    secret(name, { 'ca.crt': AUTHORITY.cert }),
    secret(name, { 'ca.crt': AUTHORITY.cert, 'tls.crt': AUTHORITY.cert, 'tls.key': AUTHORITY.key }),
    secret(name, { 'ca.crt': 'no PEM' }),
    secret(name, {}),
  )
}

/** What the external name of a Service, or one that it had before, resolves to. */
export const resolvedArbitrary: fc.Arbitrary<ResolvedName> = fc.record({
  name: fc.constantFrom('db.example', 'db.example', 'old.example'),
  addresses: fc.subarray(['198.51.100.1', '198.51.100.2', '127.0.0.1', 'nonsense']),
})

export function slicesArbitrary(key: string): fc.Arbitrary<readonly EndpointSlice[]> {
  const slice = fc
    .record({
      suffix: fc.constantFrom('a', 'b'),
      port: fc.constantFrom('', 'http'),
      addresses: fc.subarray(['192.0.2.1', '192.0.2.2', '127.0.0.1', 'nonsense']),
      isReady: fc.boolean(),
    })
    .map(({ suffix, port, addresses, isReady }) => {
      const builder = endpointSlice(key, suffix).port(8080, port)
      for (const address of addresses) builder.with(address, { ready: isReady, serving: true, terminating: !isReady })
      return builder.build()
    })
  return fc.array(slice, { maxLength: 2 })
}

export function classArbitrary(name: string): fc.Arbitrary<IngressClass> {
  return fc
    .record({ isOurs: fc.boolean(), isDefault: fc.boolean(), hasParameters: fc.boolean() })
    .map(({ isOurs, isDefault, hasParameters }) =>
      ingressClass(name, { isDefault, hasParameters, ...(isOurs ? {} : { controller: 'example.com/other' }) }),
    )
}

export const fileArbitrary: fc.Arbitrary<RouteFile | undefined> = fc.option(
  fc
    .record({
      port: fc.constantFrom(9001, 9002),
      host: fc.constantFrom('a.example', undefined),
      path: fc.constantFrom('/', '/x'),
      hasDefault: fc.boolean(),
    })
    .map(({ port, host, path, hasDefault }) => ({
      name: 'routes.yaml',
      backends: [{ name: 'own', policy: 'random' as const, endpoints: [{ host: '127.0.0.1', port, weight: 1 }] }],
      routes: [{ host, path, pathType: 'Prefix' as const, backend: 'own' }],
      defaultBackend: hasDefault ? 'own' : undefined,
    })),
  { nil: undefined },
)
