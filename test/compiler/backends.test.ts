import { expect } from 'chai'
import { ingress } from '../builders/ingress.ts'
import { service, withSpec } from '../builders/service.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const FIELD = 'spec.rules[0].http.paths[0].backend'
const EXTERNAL = withSpec(service('shop/far', '80'), { type: 'ExternalName', externalName: 'db.example' })
const DATAGRAM = service('shop/dns', 'dns=53/UDP')

const refused: readonly (readonly [title: string, backend: string, want: string, told: string])[] = [
  [
    'R10-37: a Service that does not exist',
    'none:80',
    '503 unresolved-service',
    `UnresolvableService Ingress shop/web ${FIELD}.service`,
  ],
  [
    'R10-37: a port number that the Service lacks',
    'web:81',
    '503 unresolved-service',
    `UnresolvableService Ingress shop/web ${FIELD}.service`,
  ],
  [
    'R10-37: a port name that the Service lacks',
    'web:admin',
    '503 unresolved-service',
    `UnresolvableService Ingress shop/web ${FIELD}.service`,
  ],
  ['R10-37: no port at all', 'web', '503 unresolved-service', `UnresolvableService Ingress shop/web ${FIELD}.service`],
  [
    'R10-37: a port that is not TCP',
    'dns:dns',
    '503 unresolved-service',
    `UnresolvableService Ingress shop/web ${FIELD}.service`,
  ],
  [
    'R10-38: a Service of type ExternalName',
    'far:80',
    '503 external-name',
    `ExternalNameDisabled Ingress shop/web ${FIELD}.service`,
  ],
]

describe('backends of an Ingress', () => {
  for (const [title, backend, want, warning] of refused) {
    it(`${title} answers 503, and no request falls through to a shorter path`, () => {
      const { tables, warnings } = compileCluster({
        ingresses: [ingress('shop/web').host('a.example').path('/deep', backend).path('/', 'web:80')],
        services: [EXTERNAL, DATAGRAM],
      })
      expect(ask(tables.routes, 'a.example/deep/x')).to.equal(want)
      expect(ask(tables.routes, 'a.example/x')).to.equal('shop/web:80')
      expect(told(warnings)).to.deep.equal([warning])
    })
  }

  it('R10-40: a resource backend answers 503', () => {
    const resource = { resource: { apiGroup: 'storage.example', kind: 'Bucket', name: 'pictures' } }
    const { tables, warnings } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').typed('/p', 'Prefix', resource)],
    })
    expect(ask(tables.routes, 'a.example/p')).to.equal('503 unsupported-backend')
    expect(told(warnings)).to.deep.equal([`UnsupportedBackend Ingress shop/web ${FIELD}.resource`])
  })

  it('R10-40: a backend of nothing answers 503', () => {
    const { tables, warnings } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').typed('/p', 'Prefix', {})],
    })
    expect(ask(tables.routes, 'a.example/p')).to.equal('503 unsupported-backend')
    expect(told(warnings)).to.deep.equal([`UnsupportedBackend Ingress shop/web ${FIELD}`])
  })

  it('R10-34: a port by name and by number is one backend', () => {
    const { tables } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').path('/a', 'web:http').path('/b', 'web:80')],
    })
    expect([...tables.routes.backends.keys()]).to.deep.equal(['shop/web:80'])
  })

  it('R10-39: a reference stays in the namespace of its Ingress', () => {
    const { tables } = compileCluster({ ingresses: [ingress('bank/web').host('a.example').path('/', 'api:80')] })
    expect(ask(tables.routes, 'a.example/')).to.equal('503 unresolved-service')
  })

  it('a backend that nobody forwards to is not in the table', () => {
    const { tables } = compileCluster({ ingresses: [ingress('shop/web').host('a.example').path('/', 'none:80')] })
    expect([...tables.routes.backends.keys()]).to.deep.equal([])
    expect([...tables.endpoints.byBackend.keys()]).to.deep.equal([])
  })

  it('R13-7: one object with the same fault in five paths is told once, with the first three', () => {
    const builder = ingress('shop/web').host('a.example')
    for (const name of ['one', 'two', 'three', 'four', 'five']) builder.path(`/${name}`, `${name}:80`)
    const { warnings } = compileCluster({ ingresses: [builder] })
    expect(told(warnings)).to.deep.equal([`UnresolvableService Ingress shop/web ${FIELD}.service`])
    expect(warnings[0]?.message).to.equal(
      '"/one" of a.example names the Service "shop/one", which does not exist, ' +
        '"/two" of a.example names the Service "shop/two", which does not exist, ' +
        '"/three" of a.example names the Service "shop/three", which does not exist, and 2 more; ' +
        'such requests are answered 503',
    )
  })
})
