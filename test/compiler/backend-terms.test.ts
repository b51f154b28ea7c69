import { expect } from 'chai'
import { ANNOTATIONS } from '../../src/annotations/registry.ts'
import type { Service } from '../../src/api/core.ts'
import type { Endpoint } from '../../src/model/endpoint-table.ts'
import type { HealthCheck } from '../../src/model/policy.ts'
import type { Backend } from '../../src/model/route-table.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { service, withSpec } from '../builders/service.ts'
import type { ClusterContents } from '../builders/snapshot.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io'
const BALANCE = `${NGINX}/load-balance`

function shop(name: string, host: string, backend = 'web:80'): IngressBuilder {
  return ingress(`shop/${name}`).host(host).path('/', backend)
}

function backendOf(contents: ClusterContents, name = 'shop/web:80'): Backend | undefined {
  return compileCluster(contents).tables.routes.backends.get(name)
}

/** The digest of a configuration whose one Ingress says this. */
function digestWith(...annotation: readonly [string, string]): string {
  return compileCluster({ ingresses: [shop('a', 'a.example').annotate(...annotation)] }).tables.routes.digest
}

function endpointsOf(contents: ClusterContents): readonly Endpoint[] | undefined {
  return compileCluster(contents).tables.endpoints.byBackend.get('shop/web:80')?.endpoints
}

function headless(targetPort: number | string): Service {
  const ports = [{ name: 'http', port: 80, targetPort }]
  return withSpec(service('shop/deep', 'http=80'), { clusterIP: 'None', ports })
}

describe('the terms of a Service port', () => {
  it('are those of the Ingress that names it, for every route to it', () => {
    const ingresses = [shop('a', 'a.example').annotate(BALANCE, 'ewma'), shop('b', 'b.example')]
    const { tables, warnings } = compileCluster({ ingresses })
    expect(tables.routes.backends.get('shop/web:80')?.policy).to.equal('ewma')
    expect(tables.routes.backends.size).to.equal(1)
    expect(warnings).to.deep.equal([])
  })

  it('R11-15: the oldest Ingress that sets a key holds, another value is told', () => {
    const ingresses = [
      shop('young', 'a.example').annotate(BALANCE, 'ewma').age(9),
      shop('old', 'b.example').annotate(BALANCE, 'random').age(2),
      shop('like', 'c.example').annotate(BALANCE, 'random').age(5),
      shop('silent', 'd.example').age(1),
    ]
    const { tables, warnings } = compileCluster({ ingresses })
    expect(tables.routes.backends.get('shop/web:80')?.policy).to.equal('random')
    expect(told(warnings)).to.deep.equal([`AnnotationConflict Ingress shop/young ${BALANCE}`])
    expect(warnings[0]?.message).to.include('shop/old')
  })

  it('R11-15: each key has its own holder', () => {
    const ingresses = [
      shop('young', 'a.example').annotate('ramjet.dev/slow-start', '10s').age(9),
      shop('old', 'b.example').annotate(BALANCE, 'lc').age(1),
    ]
    const { policy, slowStartMs } = backendOf({ ingresses }) ?? {}
    expect({ policy, slowStartMs }).to.deep.equal({ policy: 'leastConn', slowStartMs: 10_000 })
  })

  it('reach one port of a Service and no other', () => {
    const services = [service('shop/two', 'http=80', 'admin=81')]
    const ingresses = [
      shop('a', 'a.example', 'two:http').annotate(BALANCE, 'ewma'),
      shop('b', 'b.example', 'two:admin'),
    ]
    expect(backendOf({ ingresses, services }, 'shop/two:80')?.policy).to.equal('ewma')
    expect(backendOf({ ingresses, services }, 'shop/two:81')?.policy).to.equal('roundRobin')
  })

  it('R11-9: a bad value is told, and the route serves', () => {
    const { tables, warnings } = compileCluster({ ingresses: [shop('a', 'a.example').annotate(BALANCE, 'fastest')] })
    expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
    expect(tables.routes.backends.get('shop/web:80')?.policy).to.equal('roundRobin')
    expect(told(warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/a ${BALANCE}`])
  })

  it('R42-21: are those of the defaults where no object says anything', () => {
    const defaults = { loadBalancing: 'hash', loadBalancingKey: 'header:X-User', healthMode: 'probe' } as const
    const { policy, healthCheck } = backendOf({ ingresses: [shop('a', 'a.example')], defaults }) ?? {}
    expect(policy).to.deep.equal({ kind: 'hash', key: [{ kind: 'header', name: 'x-user' }] })
    expect(healthCheck?.path).to.equal('/')
  })

  it('are part of the digest: an edit of them alone is a new configuration', () => {
    const digests = [
      digestWith(BALANCE, 'round_robin'),
      digestWith(BALANCE, 'ewma'),
      digestWith(BALANCE, 'hash:$uri'),
      digestWith(BALANCE, 'hash:$host'),
      digestWith('ramjet.dev/slow-start', '1s'),
      digestWith('ramjet.dev/slow-start', '2s'),
      digestWith('ramjet.dev/health-check-path', '/a'),
      digestWith('ramjet.dev/health-check-path', '/b'),
      digestWith(`${NGINX}/service-upstream`, 'true'),
    ]
    expect(new Set(digests).size).to.equal(digests.length)
    expect(digestWith(BALANCE, 'rr')).to.equal(digests[0])
  })
})

describe('a Service that is dialled by its cluster IP (R50-17)', () => {
  const dialled = shop('a', 'a.example').annotate(`${NGINX}/service-upstream`, 'true')

  it('R11-33: has that address at the port of the Service as its only endpoint', () => {
    expect(endpointsOf({ ingresses: [dialled] })?.map(({ address }) => address)).to.deep.equal(['10.96.0.1:80'])
    const defaults = { routingMode: 'service' } as const
    expect(endpointsOf({ ingresses: [shop('a', 'a.example')], defaults })).to.have.length(1)
    expect(endpointsOf({ ingresses: [shop('a', 'a.example')] })?.[0]?.address).to.equal('192.0.2.1:8080')
  })

  it('has none while it has no address', () => {
    const services = [withSpec(service('shop/web', 'http=80'), { clusterIP: '' })]
    const { warnings } = compileCluster({ ingresses: [dialled], services })
    expect(endpointsOf({ ingresses: [dialled], services })).to.deep.equal([])
    expect(told(warnings)).to.deep.equal([
      'EndpointsMissing Ingress shop/a spec.rules[0].http.paths[0].backend.service',
    ])
  })

  it('R20-184: is not dialled at an address that nobody may dial', () => {
    const services = [withSpec(service('shop/web', 'http=80'), { clusterIP: '127.0.0.1' })]
    const { warnings } = compileCluster({ ingresses: [dialled], services })
    expect(endpointsOf({ ingresses: [dialled], services })).to.deep.equal([])
    expect(told(warnings)).to.include(
      'UpstreamAddressDenied Ingress shop/a spec.rules[0].http.paths[0].backend.service',
    )
  })

  const slices = [endpointSlice('shop/deep').port(8080, 'http').ready('192.0.2.77')]
  const ofDeep = shop('deep', 'deep.example', 'deep:80').annotate(`${NGINX}/service-upstream`, 'true')

  it('that is headless has its pods on a numeric targetPort', () => {
    const { tables, warnings } = compileCluster({ ingresses: [ofDeep], services: [headless(8080)], slices })
    const addresses = tables.endpoints.byBackend.get('shop/deep:80')?.endpoints.map(({ address }) => address)
    expect(addresses).to.deep.equal(['192.0.2.77:8080'])
    expect(warnings).to.deep.equal([])
  })

  it('that is headless with a named targetPort answers 503 and is told', () => {
    const { tables, warnings } = compileCluster({ ingresses: [ofDeep], services: [headless('web')], slices })
    expect(ask(tables.routes, 'deep.example/')).to.equal('503 unsupported-backend')
    expect(told(warnings)).to.deep.equal([
      'UnsupportedValue Ingress shop/deep spec.rules[0].http.paths[0].backend.service.port',
    ])
  })

  it('takes a named targetPort where its endpoints are dialled', () => {
    const plain = shop('deep', 'deep.example', 'deep:80')
    const { tables, warnings } = compileCluster({ ingresses: [plain], services: [headless('web')], slices })
    expect(ask(tables.routes, 'deep.example/')).to.equal('shop/deep:80')
    expect(warnings).to.deep.equal([])
  })
})

/** For each key of a Service port a good value and what it comes to, a bad one, and what it needs beside it. */
const CASES: Readonly<Record<string, KeyCase>> = {
  [BALANCE]: { good: 'ewma', bad: 'fastest', traitOf: ({ policy }) => policy, want: 'ewma', unset: 'roundRobin' },
  [`${NGINX}/upstream-hash-by`]: {
    good: '$host',
    bad: '$request_id',
    traitOf: ({ policy }) => policy,
    want: { kind: 'hash', key: [{ kind: 'host' }] },
    unset: 'roundRobin',
  },
  [`${NGINX}/service-upstream`]: {
    good: 'true',
    bad: 'maybe',
    traitOf: ({ dialsService }) => dialsService,
    want: true,
    unset: undefined,
  },
  'ramjet.dev/slow-start': {
    good: '30s',
    bad: '30',
    traitOf: ({ slowStartMs }) => slowStartMs,
    want: 30_000,
    unset: undefined,
  },
  'ramjet.dev/health-check-path': {
    good: '/ok',
    bad: 'ok',
    traitOf: ({ healthCheck }) => healthCheck?.path,
    want: '/ok',
    unset: undefined,
  },
  'ramjet.dev/health-mode': {
    good: 'probe',
    bad: 'maybe',
    traitOf: ({ healthCheck }) => healthCheck?.path,
    want: '/',
    unset: undefined,
  },
  'ramjet.dev/health-check-interval': ofCheck('10s', '10', ({ intervalMs }) => intervalMs, [10_000, 5_000]),
  'ramjet.dev/health-check-timeout': ofCheck('2s', '2', ({ timeoutMs }) => timeoutMs, [2_000, 1_000]),
  'ramjet.dev/health-check-healthy': ofCheck('2', '0', ({ healthy }) => healthy, [2, 1]),
  'ramjet.dev/health-check-unhealthy': ofCheck('5', '101', ({ unhealthy }) => unhealthy, [5, 3]),
  'ramjet.dev/health-check-status': ofCheck('204', '2xx', ({ statuses }) => statuses, [[[204, 204]], [[200, 399]]]),
}

interface KeyCase {
  readonly good: string
  readonly bad: string
  readonly traitOf: (backend: Backend) => unknown
  readonly want: unknown
  /** Where the key is absent or its value is bad. */
  readonly unset: unknown
  readonly beside?: readonly [key: string, value: string]
}

function ofCheck(
  good: string,
  bad: string,
  fieldOf: (check: HealthCheck) => unknown,
  [want, unset]: readonly [unknown, unknown],
): KeyCase {
  const traitOf = ({ healthCheck }: Backend): unknown => healthCheck && fieldOf(healthCheck)
  return { good, bad, traitOf, want, unset, beside: ['ramjet.dev/health-check-path', '/ok'] }
}

/** What is spoken to a port has a table of its own: upstream-terms.test.ts. */
const SPOKEN = /\/(backend-protocol|proxy-ssl-.*)$/

describe('every key of a Service port that this build acts on (R11-161)', () => {
  const built = ANNOTATIONS.filter(({ built: acts, scope, key }) => acts && scope === 'backend' && !SPOKEN.test(key))

  it('has a case', () => {
    expect(Object.keys(CASES)).to.have.members(built.map(({ key }) => key))
  })

  for (const { key, onBad } of built) {
    const { good, bad, traitOf, want, unset, beside } = CASES[key] ?? {}
    if (good === undefined || bad === undefined || traitOf === undefined) continue
    const compiledWith = (value: string | undefined) => {
      const one = shop('a', 'a.example')
      if (beside) one.annotate(...beside)
      const { tables, warnings } = compileCluster({
        ingresses: [value === undefined ? one : one.annotate(key, value)],
      })
      const backend = tables.routes.backends.get('shop/web:80')
      return { answer: ask(tables.routes, 'a.example/'), trait: backend && traitOf(backend), told: told(warnings) }
    }

    it(`${key}: absent, good and bad (${onBad})`, () => {
      const served = { answer: 'shop/web:80', told: [] }
      expect(compiledWith(undefined)).to.deep.equal({ ...served, trait: unset })
      expect(compiledWith(good)).to.deep.equal({ ...served, trait: want })
      const finding = `InvalidAnnotation Ingress shop/a ${key}`
      expect(compiledWith(bad)).to.deep.equal({ ...served, trait: unset, told: [finding] })
    })
  }
})
