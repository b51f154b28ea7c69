import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect } from 'chai'
import { load } from 'js-yaml'
import { ROUTES_SCHEMA } from '../../hack/docs/routes-schema.ts'
import { parseRouteFile, ROUTE_FILE_FIELDS } from '../../src/manifests/route-file.ts'
import { pemFiles } from '../builders/pem-files.ts'
import { makeCertificate } from '../fakes/certificates.ts'

const validate = new Ajv2020({ allErrors: true, strict: true, allowUnionTypes: true }).compile(ROUTES_SCHEMA)
const { backend, endpoint, healthCheck, route, tls, upstreamTls } = ROUTES_SCHEMA.$defs
const PEMS = pemFiles({ shop: makeCertificate(['shop.example']) })
const PAIR = 'cert: shop.pem, key: shop-key.pem'

function inBackend(fields: string): string {
  return `backends:\n  - {name: web, endpoints: ["192.0.2.1:80"], ${fields}}\n`
}

function inRoute(fields: string): string {
  return `${inBackend('')}routes:\n  - {backend: web, ${fields}}\n`
}

describe('the JSON Schema of a file of routes (R20-177)', () => {
  for (const [of, names, properties] of [
    ['the file', ROUTE_FILE_FIELDS.file, ROUTES_SCHEMA.properties],
    ['a backend', ROUTE_FILE_FIELDS.backend, backend.properties],
    ['a health check', ROUTE_FILE_FIELDS.healthCheck, healthCheck.properties],
    ['an endpoint', ROUTE_FILE_FIELDS.endpoint, endpoint.properties],
    ['a route', ROUTE_FILE_FIELDS.route, route.properties],
    ['a certificate', ROUTE_FILE_FIELDS.tls, tls.properties],
    ['the TLS of a backend', ROUTE_FILE_FIELDS.upstreamTls, upstreamTls.properties],
  ] as const) {
    it(`has the fields of ${of} that the reader knows, and no other`, () => {
      expect(Object.keys(properties)).to.have.members([...names])
    })
  }

  for (const example of ['dev-routes.yaml', 'full-routes.yaml']) {
    it(`takes examples/${example}`, () => {
      const text = readFileSync(join(import.meta.dirname, '../../examples', example), 'utf8')
      expect(validate(load(text)), JSON.stringify(validate.errors)).to.equal(true)
    })
  }

  // What can be told without looking at two fields at once: both must say the same.
  for (const [text, isGood] of [
    ['{}', true],
    ['[]', false],
    ['routes: {}', false],
    ['tls: []', true],
    ['caches: {}', false],
    [`tls: [{${PAIR}}]`, true],
    [`tls: [{host: "*", ${PAIR}}]`, true],
    [`tls: [{host: shop.example, ${PAIR}}]`, true],
    ['tls: [{host: shop.example, cert: shop.pem}]', false],
    [`tls: [{hosts: [shop.example], ${PAIR}}]`, false],
    ['tls: {}', false],
    ['backends: [{name: web, endpoints: []}]\ndefaultBackend: web', true],
    ['backends: [{name: web}]', false],
    ['backends: [{endpoints: []}]', false],
    ['backends: [{name: a/b, endpoints: []}]', false],
    ['backends: [{name: web, endpoints: ["[2001:db8::1]:80"]}]', true],
    ['backends: [{name: web, endpoints: [web.example:80]}]', false],
    ['backends: [{name: web, endpoints: [{address: "192.0.2.1:80", weight: 0}]}]', true],
    ['backends: [{name: web, endpoints: [{weight: 1}]}]', false],
    ['backends: [{name: web, endpoints: [{address: "192.0.2.1:80", weight: -1}]}]', false],
    ['backends: [{name: web, endpoints: [{address: "192.0.2.1:80", port: 1}]}]', false],
    [inBackend('policy: lt'), true],
    [inBackend('policy: "hash:$uri"'), true],
    [inBackend('policy: hrw'), true],
    [inBackend('policy: fastest'), false],
    [inBackend('slowStart: 1.5m'), true],
    [inBackend('slowStart: 30'), false],
    [inBackend('slowStart: soon'), false],
    [inBackend('protocol: GRPC'), true],
    [inBackend('protocol: https'), true],
    [inBackend('protocol: FCGI'), false],
    [inBackend('protocol: HTTPS, tls: {}'), true],
    [inBackend('protocol: GRPCS, tls: {verify: true, serverName: a.example, ca: shop.pem}'), true],
    [inBackend('protocol: HTTPS, tls: {verify: "on"}'), false],
    [inBackend(`protocol: HTTPS, tls: {${PAIR}}`), true],
    [inBackend('protocol: HTTPS, tls: {cert: shop.pem}'), false],
    [inBackend('protocol: HTTPS, tls: {depth: 1}'), false],
    [inBackend('healthCheck: {}'), true],
    [inBackend('healthCheck: /ok'), false],
    [inBackend('healthCheck: {path: /ok, status: 204}'), true],
    [inBackend('healthCheck: {status: "200,300-302"}'), true],
    [inBackend('healthCheck: {status: 2xx}'), false],
    [inBackend('healthCheck: {path: ok}'), false],
    [inBackend('healthCheck: {healthy: 0}'), false],
    [inBackend('healthCheck: {unhealthy: 101}'), false],
    [inBackend('healthCheck: {timeout: 1}'), false],
    [inBackend('healthCheck: {retries: 1}'), false],
    [inRoute('path: /'), true],
    [inRoute('path: /, pathType: Exact, host: a.example'), true],
    [inRoute('path: /, pathType: exact'), false],
    [inRoute('host: a.example'), false],
    [inRoute('path: /, canary: {}'), false],
  ] as const) {
    it(`${isGood ? 'takes' : 'refuses'} what the reader ${isGood ? 'takes' : 'refuses'}: ${JSON.stringify(text)}`, () => {
      expect(parseRouteFile('routes.yaml', text, PEMS).ok, 'reader').to.equal(isGood)
      expect(validate(load(text)), 'schema').to.equal(isGood)
    })
  }
})
