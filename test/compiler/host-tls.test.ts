import { expect } from 'chai'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { ServerName } from '../../src/model/certificate-table.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { ask, told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const PASS = `${NGINX}ssl-passthrough`
const CIPHERS = `${NGINX}ssl-ciphers`

function shop(name = 'web', host: string | undefined = 'a.example'): IngressBuilder {
  return ingress(`shop/${name}`).host(host).path('/', `${name}:80`)
}

function nameOf(ingresses: readonly IngressBuilder[], name = 'a.example'): Partial<ServerName> | undefined {
  const found = compileCluster({ ingresses }).tables.routes.certificates?.serverNames.get(name)
  if (!found) return undefined
  const { digest: _, ...rest } = found
  return rest
}

function reasons(ingresses: readonly IngressBuilder[]): readonly string[] {
  return told(compileCluster({ ingresses }).warnings)
}

describe('ssl-passthrough', () => {
  it('R21-30: hands the name to the backend that takes "/"', () => {
    const one = shop().path('/api', 'api:80').annotate(PASS, 'true')
    const passed = { host: 'a.example', certificates: [], policy: {}, passthrough: 'shop/web:80' }
    expect(nameOf([one])).to.deep.equal(passed)
    expect(nameOf([shop('web', '*.example').annotate(PASS, 'true')], '*.example')?.passthrough).to.equal('shop/web:80')
  })

  it('R11-15: is a matter of the host: "/" may be another Ingress\'s, and http is served as ever', () => {
    const ingresses = [shop(), ingress('shop/pass').host('a.example').path('/p', 'api:80').annotate(PASS, 'true')]
    expect(nameOf(ingresses)?.passthrough).to.equal('shop/web:80')
    expect(ask(compileCluster({ ingresses }).tables.routes, 'a.example/p')).to.equal('shop/api:80')
  })

  it('takes the backend of "/" from behind app-root, and else the default backend of the host', () => {
    expect(nameOf([shop().annotate(PASS, 'true').annotate(`${NGINX}app-root`, '/app')])?.passthrough).to.equal(
      'shop/web:80',
    )
    const fallback = ingress('shop/web').host('a.example').path('/x', 'web:80').defaultBackend('api:80')
    expect(nameOf([fallback.annotate(PASS, 'true')])?.passthrough).to.equal('shop/api:80')
  })

  for (const [title, one] of [
    ['nothing takes "/"', ingress('shop/web').host('a.example').path('/x', 'web:80')],
    ['the Service of "/" is missing', ingress('shop/web').host('a.example').path('/', 'none:80')],
    ['the Ingress names no host', ingress('shop/web').host().path('/', 'web:80')],
    ['a guard closes the paths', shop().annotate(`${NGINX}auth-url`, 'x')],
  ] as const) {
    it(`does nothing and is told where ${title}`, () => {
      const asked = [one.annotate(PASS, 'true')]
      expect(compileCluster({ ingresses: asked }).tables.routes.certificates).to.equal(undefined)
      expect(reasons(asked)).to.include(`InvalidAnnotation Ingress shop/web ${PASS}`)
    })
  }

  it('R21-30: beats termination, and another Ingress that wants to terminate the name is told', () => {
    const passing = shop().annotate(PASS, 'true').tls('own', 'a.example').age(9)
    const ending = ingress('shop/old').host('a.example').path('/old', 'old:80').tls('tls', 'a.example').age(1)
    expect(nameOf([passing, ending])?.passthrough).to.equal('shop/web:80')
    expect(reasons([passing, ending])).to.deep.equal(['TLSHostConflict Ingress shop/old spec.tls[0].hosts'])
  })

  it('R11-15: the oldest Ingress that says anything about it holds', () => {
    const ingresses = [
      shop().annotate(PASS, 'TRUE').age(1),
      ingress('shop/b').host('a.example').annotate(PASS, 'false').age(5),
    ]
    expect(nameOf(ingresses)?.passthrough).to.equal('shop/web:80')
    expect(reasons(ingresses)).to.deep.equal([`AnnotationConflict Ingress shop/b ${PASS}`])
    const like = [
      shop().annotate(PASS, 'TRUE').age(1),
      ingress('shop/b').host('a.example').annotate(PASS, 'true').age(5),
    ]
    expect(reasons(like)).to.deep.equal([])
  })

  it('R11-44: another name of the host is passed through as the host is', () => {
    const one = shop().annotate(PASS, 'true').annotate(`${NGINX}server-alias`, 'alias.example')
    expect(nameOf([one], 'alias.example')?.passthrough).to.equal('shop/web:80')
  })

  it('goes when it is taken away, and follows its backend, with a memo', () => {
    let last = compile(clusterOf({}), SETTINGS, emptyMemo())
    const steps = [shop(), shop().annotate(PASS, 'true'), shop('api').annotate(PASS, 'true'), shop('api')]
    const found = steps.map((one) => {
      last = compile(clusterOf({ ingresses: [one] }), SETTINGS, last.memo)
      return last.tables.routes.certificates?.serverNames.get('a.example')?.passthrough
    })
    expect(found).to.deep.equal([undefined, 'shop/web:80', 'shop/api:80', undefined])
  })
})

describe('ciphers of a host (R11-112)', () => {
  it('are the policy of its handshakes', () => {
    const one = shop().annotate(CIPHERS, 'HIGH:!aNULL').annotate(`${NGINX}ssl-prefer-server-ciphers`, 'true')
    expect(nameOf([one])?.policy).to.deep.equal({ ciphers: 'HIGH:!aNULL', preferServerCiphers: true })
  })

  it('are those of the oldest Ingress, each key by itself', () => {
    const ingresses = [
      shop().annotate(CIPHERS, 'HIGH').age(1),
      ingress('shop/b')
        .host('a.example')
        .annotate(CIPHERS, 'MEDIUM:HIGH')
        .age(5)
        .annotate(`${NGINX}ssl-prefer-server-ciphers`, 'false'),
    ]
    expect(nameOf(ingresses)?.policy).to.deep.equal({ ciphers: 'HIGH', preferServerCiphers: false })
    expect(reasons(ingresses)).to.deep.equal([`AnnotationConflict Ingress shop/b ${CIPHERS}`])
  })

  // A level would be that of certificates too, and one that falls short would cost every host its changes.
  for (const bad of ['NONSENSE', 'HIGH; rm', 'HIGH\u0000', 'HIGH:@SECLEVEL=3', '@SECLEVEL=0:ALL']) {
    it(`that cannot be used are told: ${JSON.stringify(bad)}`, () => {
      expect(nameOf([shop().annotate(CIPHERS, bad)])).to.equal(undefined)
      expect(reasons([shop().annotate(CIPHERS, bad)])).to.deep.equal([`InvalidAnnotation Ingress shop/web ${CIPHERS}`])
    })
  }
})
