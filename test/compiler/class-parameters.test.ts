import { expect } from 'chai'
import type { IngressClass } from '../../src/api/networking.ts'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { ClassParametersReading } from '../../src/compiler/snapshot.ts'
import type { ClassFields } from '../../src/model/class-fields.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { ask, told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

type Parameters = NonNullable<NonNullable<IngressClass['spec']>['parameters']>

const TUNED: Parameters = {
  apiGroup: 'ramjet.dev',
  kind: 'ClassParameters',
  name: 'tuned',
  namespace: 'shop',
  scope: 'Namespace',
}

function classWith(parameters: Partial<Parameters>, name = 'ramjet'): IngressClass {
  const base = ingressClass(name)
  return { ...base, spec: { ...base.spec, parameters: { ...TUNED, ...parameters } } }
}

const valid = (fields: ClassFields): ClassParametersReading => ({ kind: 'valid', fields })
const WEB = ingress('shop/web').host('a.example').path('/x', 'web:80').age(0)
const CART = { namespace: 'shop', name: 'cart', port: 'http' }
const API = { namespace: 'shop', name: 'api', port: '80' }

const unusable: readonly { readonly title: string; readonly ref: Partial<Parameters>; readonly says: string }[] = [
  { title: 'that do not exist', ref: { name: 'missing' }, says: 'names the ClassParameters "shop/missing"' },
  { title: 'of another kind', ref: { kind: 'ConfigMap', apiGroup: '' }, says: 'names the parameters "ConfigMap"' },
  { title: 'of another group', ref: { apiGroup: 'example.com' }, says: '"ClassParameters.example.com"' },
  { title: 'of the scope Cluster', ref: { scope: 'Cluster' }, says: 'without a namespace' },
  { title: 'without a namespace', ref: { namespace: '' }, says: 'without a namespace' },
  { title: 'that are invalid', ref: { name: 'broken' }, says: 'of which spec.timeout needs a unit' },
  { title: 'named like a member of every object', ref: { name: 'constructor' }, says: '"shop/constructor"' },
]

const OBJECTS: Readonly<Record<string, ClassParametersReading>> = {
  'shop/tuned': valid({ responseTimeoutMs: 1000 }),
  'shop/broken': { kind: 'invalid', field: 'spec.timeout', problem: 'needs a unit' },
}

describe('parameters of an IngressClass', () => {
  it('R50-14: usable ones serve the class, and nobody is told anything', () => {
    const { tables, warnings } = compileCluster({
      classes: [classWith({})],
      classParameters: { 'shop/tuned': valid({ responseTimeoutMs: 1000 }) },
      ingresses: [WEB],
    })
    expect(ask(tables.routes, 'a.example/x')).to.equal('shop/web:80')
    expect(warnings).to.deep.equal([])
  })

  for (const { title, ref, says } of unusable) {
    it(`R50-14: a class with parameters ${title} is not served, and it and its Ingress are told`, () => {
      const { tables, warnings, claimed } = compileCluster({
        classes: [classWith(ref)],
        classParameters: OBJECTS,
        ingresses: [WEB],
      })
      expect(ask(tables.routes, 'a.example/x')).to.equal('404 no-route')
      expect([...claimed]).to.deep.equal([])
      const invalid = warnings.filter(({ reason }) => reason === 'InvalidParameters')
      expect(told(invalid)).to.have.members([
        'InvalidParameters Ingress shop/web spec.ingressClassName',
        'InvalidParameters IngressClass ramjet spec.parameters',
      ])
      for (const { message } of invalid) expect(message).to.contain(says).and.to.contain('; it is not served')
    })
  }

  it('R50-16: an invalid object is told of itself, though no class names it', () => {
    const { warnings } = compileCluster({ classParameters: OBJECTS })
    expect(told(warnings)).to.deep.equal(['InvalidObject ClassParameters shop/broken spec.timeout'])
    expect(warnings[0]?.message).to.equal('spec.timeout needs a unit; the object has no effect')
  })

  it('R50-14: a class is served as soon as its parameters can be used, and no longer than that', () => {
    const broken = clusterOf({ classes: [classWith({})], ingresses: [WEB] })
    const mended = { ...broken, classParameters: new Map([['shop/tuned', valid({})]]) }
    const first = compile(broken, SETTINGS, emptyMemo())
    const second = compile(mended, SETTINGS, first.memo)
    const third = compile({ ...mended, classParameters: new Map() }, SETTINGS, second.memo)
    expect([first, second, third].map(({ claimed }) => claimed.size)).to.deep.equal([0, 1, 0])
    expect([first, second, third].map(({ warnings }) => warnings.length)).to.deep.equal([2, 0, 2])
  })

  it('R10-3: of several default classes the first by name that is served takes what names none', () => {
    const marked = { 'ingressclass.kubernetes.io/is-default-class': 'true' }
    const classes = ['b', 'a', 'c'].map((name) => {
      const base = name === 'a' ? classWith({ name: 'missing' }, name) : classWith({ name }, name)
      return { ...base, metadata: { ...base.metadata, annotations: marked } }
    })
    const { tables } = compileCluster({
      classes,
      classParameters: { 'shop/b': valid({ defaultBackend: API }), 'shop/c': valid({ defaultBackend: CART }) },
      ingresses: [ingress('shop/web').className(undefined).host('a.example').path('/x', 'web:80')],
    })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/api:80')
  })
})

describe('defaultBackend of a class and of the operator', () => {
  const ofClass = { classes: [classWith({})], classParameters: { 'shop/tuned': valid({ defaultBackend: CART }) } }

  it('R42-21: that of the operator goes before the flag', () => {
    const { tables } = compileCluster({ defaults: { defaultBackend: CART }, ingresses: [WEB] }, { defaultBackend: API })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/cart:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/cart:80')
  })

  it('R42-21: that of a class goes before the one of the operator', () => {
    const { tables } = compileCluster({ ...ofClass, defaults: { defaultBackend: API }, ingresses: [WEB] })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/cart:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/cart:80')
  })

  it('R42-21: that of a class answers on the hosts of the class alone, where an older class has another', () => {
    const other = classWith({ name: 'other' }, 'other')
    const old = { ...other, metadata: { ...other.metadata, creationTimestamp: '2001-01-01T00:00:00Z' } }
    const { tables } = compileCluster({
      classes: [classWith({}), old],
      classParameters: {
        'shop/tuned': valid({ defaultBackend: CART }),
        'shop/other': valid({ defaultBackend: API }),
      },
      ingresses: [WEB],
    })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/cart:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/api:80')
  })

  it('R10-45: that of an Ingress answers on its hosts before that of its class', () => {
    const own = ingress('shop/web').host('a.example').path('/x', 'web:80').defaultBackend('api:80')
    const { tables } = compileCluster({ ...ofClass, ingresses: [own] })
    expect(ask(tables.routes, 'a.example/y')).to.equal('shop/api:80')
    expect(ask(tables.routes, 'b.example/y')).to.equal('shop/cart:80')
  })

  it('R10-44: that of an Ingress without rules goes before it everywhere, for as long as it is there', () => {
    const common = ingress('shop/all').defaultBackend('api:80')
    const before = clusterOf({ ...ofClass, ingresses: [WEB] })
    // The same objects, so that a memo that forgets what they depend on is caught.
    const during = { ...before, ingresses: new Map([...before.ingresses, ['shop/all', common.build()]]) }
    const first = compile(before, SETTINGS, emptyMemo())
    const second = compile(during, SETTINGS, first.memo)
    const third = compile(before, SETTINGS, second.memo)
    const asked = [first, second, third].map(({ tables }) => ask(tables.routes, 'a.example/y'))
    expect(asked).to.deep.equal(['shop/cart:80', 'shop/api:80', 'shop/cart:80'])
  })

  it('R10-37: one that does not exist answers 503, and the ClassParameters are told', () => {
    const missing = { ...CART, name: 'none' }
    const { tables, warnings } = compileCluster({
      ...ofClass,
      classParameters: { 'shop/tuned': valid({ defaultBackend: missing }) },
      ingresses: [WEB],
    })
    expect(ask(tables.routes, 'a.example/y')).to.equal('503 unresolved-service')
    expect(told(warnings)).to.deep.equal(['UnresolvableService ClassParameters shop/tuned spec.defaultBackend'])
  })
})
