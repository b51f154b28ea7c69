import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Service } from '../../src/api/core.ts'
import type { EndpointSlice } from '../../src/api/discovery.ts'
import type { Ingress } from '../../src/api/networking.ts'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { ClusterSnapshot } from '../../src/compiler/snapshot.ts'
import { ingress } from '../builders/ingress.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { ask, told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const anything = fc.anything({ withNullPrototype: true, withSparseArray: true, withBigInt: true, withDate: true })
const names = fc.constantFrom('shop/web', 'shop/constructor', 'shop/__proto__', '__proto__', 'shop/a/b', '', '/')

/** Values of the right kind now and then, so that garbage is reached behind fields that can be read. */
const leaf = fc.oneof(
  anything,
  fc.constantFrom('', '/', '/a(', 'ramjet', 'a.example', '__proto__', 'constructor', 80, null),
)
const metadata = fc.record(
  {
    name: leaf,
    uid: fc.oneof(fc.constant('1'), leaf),
    resourceVersion: fc.oneof(fc.constant('1'), leaf),
    creationTimestamp: fc.oneof(fc.constant('2026-01-01T00:00:00Z'), leaf),
    annotations: fc.oneof(
      fc.dictionary(
        fc.constantFrom(
          '__proto__',
          'constructor',
          'kubernetes.io/ingress.class',
          'nginx.ingress.kubernetes.io/auth-url',
          'ramjet.dev/toString',
        ),
        leaf,
      ),
      leaf,
    ),
  },
  { requiredKeys: [] },
)
const backend = fc.oneof(
  leaf,
  fc.record(
    {
      service: fc.oneof(
        leaf,
        fc.record(
          { name: leaf, port: fc.oneof(leaf, fc.record({ number: leaf, name: leaf }, { requiredKeys: [] })) },
          { requiredKeys: [] },
        ),
      ),
      resource: leaf,
    },
    { requiredKeys: [] },
  ),
)
const rules = fc.array(
  fc.oneof(
    leaf,
    fc.record(
      {
        host: leaf,
        http: fc.oneof(
          leaf,
          fc.record({
            paths: fc.oneof(leaf, fc.array(fc.record({ path: leaf, pathType: leaf, backend }, { requiredKeys: [] }))),
          }),
        ),
      },
      { requiredKeys: [] },
    ),
  ),
)
const spec = fc.oneof(
  leaf,
  fc.record(
    {
      ingressClassName: leaf,
      rules: fc.oneof(leaf, rules),
      defaultBackend: backend,
      controller: leaf,
      parameters: leaf,
      ports: fc.oneof(leaf, fc.array(leaf)),
      type: leaf,
      ipFamilies: leaf,
      clusterIP: leaf,
    },
    { requiredKeys: [] },
  ),
)
const object = fc.oneof(anything, fc.record({ metadata: fc.oneof(metadata, leaf), spec }, { requiredKeys: [] }))
const slice = fc.oneof(
  anything,
  fc.record(
    { metadata, addressType: leaf, endpoints: fc.oneof(leaf, fc.array(leaf)), ports: fc.oneof(leaf, fc.array(leaf)) },
    { requiredKeys: [] },
  ),
)
const map = <V>(value: fc.Arbitrary<V>) =>
  fc.array(fc.tuple(names, value), { maxLength: 4 }).map((entries) => new Map(entries))

const garbage = fc.record({
  ingresses: map(object),
  ingressClasses: map(object),
  services: map(object),
  endpointSlices: map(fc.oneof(anything, fc.array(slice))),
}) as fc.Arbitrary<Pick<ClusterSnapshot, 'ingresses' | 'ingressClasses' | 'services' | 'endpointSlices'>>

const good = ingress('shop/good').host('good.example').path('/', 'web:80')

describe('a compile of whatever a cache may hold', () => {
  it('R10-48: never throws, and what can be read serves', () => {
    const cluster = clusterOf({ ingresses: [good] })
    fc.assert(
      fc.property(garbage, (broken) => {
        const merged: ClusterSnapshot = {
          ...cluster,
          ingresses: new Map([...broken.ingresses, ...cluster.ingresses]),
          ingressClasses: new Map([...broken.ingressClasses, ...cluster.ingressClasses]),
          services: new Map([...broken.services, ...cluster.services]),
          endpointSlices: new Map([...broken.endpointSlices, ...cluster.endpointSlices]),
        }
        const { tables } = compile(merged, SETTINGS, emptyMemo())
        expect(ask(tables.routes, 'good.example/')).to.equal('shop/web:80')
      }),
      { numRuns: 1000 },
    )
  }).timeout(60_000)

  const broken: readonly (readonly [
    title: string,
    object: unknown,
    want: readonly string[],
    channel: string | undefined,
  ])[] = [
    [
      'of our class',
      { ...good.build(), spec: { ingressClassName: 'ramjet', rules: 'all' } },
      ['UndecodableObject Ingress shop/broken spec.rules'],
      undefined,
    ],
    [
      'of a class that cannot be read',
      { ...good.build(), spec: { ingressClassName: 7 } },
      ['UndecodableObject Ingress shop/broken spec.ingressClassName'],
      'log',
    ],
    [
      'of another class',
      { ...good.build(), spec: { ingressClassName: 'other', rules: 'all' } },
      ['UnknownIngressClass Ingress shop/broken spec.ingressClassName'],
      undefined,
    ],
    ['that is no object', 7, ['UndecodableObject Ingress shop/broken object'], 'log'],
    ['that is null', null, ['UndecodableObject Ingress shop/broken object'], 'log'],
  ]
  for (const [title, value, want, channel] of broken) {
    it(`R10-49: an Ingress ${title} is told alone`, () => {
      const cluster = clusterOf({ ingresses: [good] })
      const ingresses = new Map([...cluster.ingresses, ['shop/broken', value as Ingress] as const])
      const { tables, warnings } = compile({ ...cluster, ingresses }, SETTINGS, emptyMemo())
      expect(ask(tables.routes, 'good.example/')).to.equal('shop/web:80')
      expect(told(warnings)).to.deep.equal(want)
      expect(warnings[0]?.channel).to.equal(channel)
    })
  }

  it('R10-49: a Service that cannot be read answers 503 for those that name it, and is told in the log', () => {
    const cluster = clusterOf({ ingresses: [good] })
    const services = new Map([
      ...cluster.services,
      ['shop/web', { metadata: {}, spec: 7 } as unknown as Service] as const,
    ])
    const { tables, warnings } = compile({ ...cluster, services }, SETTINGS, emptyMemo())
    expect(ask(tables.routes, 'good.example/')).to.equal('503 unresolved-service')
    expect(told(warnings)).to.deep.equal([
      'UnresolvableService Ingress shop/good spec.rules[0].http.paths[0].backend.service',
      'UndecodableObject Service shop/web metadata.name',
    ])
  })

  it('slices that are no list are no slices', () => {
    const cluster = clusterOf({ ingresses: [good] })
    const endpointSlices = new Map([['shop/web', 7 as unknown as readonly EndpointSlice[]]])
    const { tables } = compile({ ...cluster, endpointSlices }, SETTINGS, emptyMemo())
    expect(tables.endpoints.byBackend.get('shop/web:80')?.endpoints).to.deep.equal([])
  })

  for (const name of ['shop/constructor', 'shop/__proto__', 'shop/toString']) {
    it(`an Ingress named ${name} serves like any other`, () => {
      const { tables, claimed } = compileCluster({ ingresses: [ingress(name).host('a.example').path('/', 'web:80')] })
      expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
      expect([...claimed]).to.deep.equal([name])
    })
  }
})
