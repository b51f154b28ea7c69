import { expect } from 'chai'
import { parametersUse } from '../../src/compiler/parameters-use.ts'
import { badSecret, certificate, goodSecret } from '../builders/certificates.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { compileCluster } from './cluster.ts'

const TLS = certificate('tls')
const VALID = { kind: 'valid', fields: {} } as const

function classOf(name: string, parameters: string) {
  const base = ingressClass(name)
  const reference = { apiGroup: 'ramjet.dev', kind: 'ClassParameters', namespace: 'shop', name: parameters }
  return { ...base, spec: { ...base.spec, parameters: { ...reference, scope: 'Namespace' } } }
}

describe('parametersUse (R50-15)', () => {
  it('counts classes, routes, hosts and certificates of what is served by the parameters', () => {
    const uses = parametersUse(
      compileCluster({
        classes: [classOf('b', 'tuned'), classOf('a', 'tuned'), ingressClass('plain')],
        classParameters: { 'shop/tuned': VALID, 'shop/spare': VALID },
        ingresses: [
          ingress('shop/1').className('a').host('a.example').path('/x', 'web:80').path('/y', 'web:80').tls('tls'),
          ingress('shop/2')
            .className('b')
            .tls('copy')
            .tls('gone')
            .host('a.example')
            .path('/z', 'web:80')
            .host('b.example')
            .path('/', 'web:80'),
          ingress('shop/3').className('plain').host('c.example').path('/', 'web:80'),
        ],
        tlsSecrets: {
          'shop/tls': goodSecret(TLS),
          'shop/copy': goodSecret(TLS),
          'shop/gone': badSecret('does not exist'),
        },
      }),
    )
    expect(uses.get('shop/tuned')).to.deep.equal({
      reading: VALID,
      classes: ['a', 'b'],
      routes: 4,
      hosts: 2,
      certificates: 1,
      warnings: 1,
    })
    expect(uses.get('shop/spare')).to.deep.include({ classes: [], routes: 0, hosts: 0 })
    expect(uses.size).to.equal(2)
  })

  it('counts warnings about the object, its classes and their Ingresses, and no others', () => {
    const broken = { kind: 'invalid', field: 'spec.timeout', problem: 'is wrong' } as const
    const uses = parametersUse(
      compileCluster({
        classes: [classOf('a', 'tuned'), classOf('b', 'broken'), ingressClass('plain')],
        classParameters: { 'shop/tuned': VALID, 'shop/broken': broken },
        ingresses: [
          ingress('shop/1').className('a').host('a.example').path('/', 'none:80'),
          ingress('shop/2').className('b').host('b.example').path('/', 'web:80'),
          ingress('shop/3').className('plain').host('c.example').path('/', 'none:80'),
        ],
      }),
    )
    expect(uses.get('shop/tuned')?.warnings).to.equal(1)
    expect(uses.get('shop/broken')).to.deep.include({ reading: broken, classes: [], warnings: 1 })
  })
})
