import { expect } from 'chai'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { ask, told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const HTTPS = '308 https'
const ACME = '/.well-known/acme-challenge'

function shop(key?: 'ssl-redirect' | 'force-ssl-redirect', value = 'true', host = 'a.example'): IngressBuilder {
  const one = ingress('shop/web').host(host).path('/', 'web:80').path('/cart', 'cart:80')
  return key ? one.annotate(NGINX + key, value) : one
}

function answer(ingresses: readonly IngressBuilder[], url = 'a.example/'): string {
  return ask(compileCluster({ ingresses }).tables.routes, url)
}

function challenge(add: (one: IngressBuilder) => IngressBuilder, url = `a.example${ACME}/token`): string {
  return answer([add(ingress('shop/web').host('a.example').annotate(`${NGINX}force-ssl-redirect`, 'true'))], url)
}

describe('the redirect to https', () => {
  it('R11-50: native, nothing is redirected that nobody asks for', () => {
    expect(answer([shop().tls('tls', 'a.example')])).to.equal('shop/web:80')
    expect(answer([shop('ssl-redirect', 'false').tls('tls', 'a.example')])).to.equal('shop/web:80')
    expect(answer([shop('force-ssl-redirect', 'false').tls('tls', 'a.example')])).to.equal('shop/web:80')
  })

  it('R11-57: ssl-redirect acts when the host has TLS, on every path of the Ingress', () => {
    expect(answer([shop('ssl-redirect')])).to.equal('shop/web:80')
    const secured = [shop('ssl-redirect').tls('tls', 'a.example')]
    expect([answer(secured), answer(secured, 'a.example/cart')]).to.deep.equal([HTTPS, HTTPS])
  })

  it('R11-57: force-ssl-redirect acts always', () => {
    expect(answer([shop('force-ssl-redirect')])).to.equal(HTTPS)
    expect(answer([shop('force-ssl-redirect').annotate(`${NGINX}ssl-redirect`, 'false')])).to.equal(HTTPS)
  })

  for (const [title, others, isSecured] of [
    ['another Ingress has the entry', [ingress('shop/tls').host('a.example').tls('tls', 'a.example')], true],
    ['an entry uses the default certificate', [ingress('shop/tls').tls(undefined, 'a.example')], true],
    ['an entry is for its wildcard', [ingress('shop/tls').tls('tls', '*.example')], true],
    ['an entry is for a name below it', [ingress('shop/tls').tls('tls', 'b.a.example', '*.a.example')], false],
    ['an entry is for another host', [ingress('shop/tls').tls('tls', 'b.example')], false],
  ] as const) {
    it(`R11-57: the host ${isSecured ? 'has' : 'has no'} TLS where ${title}`, () => {
      expect(answer([shop('ssl-redirect'), ...others])).to.equal(isSecured ? HTTPS : 'shop/web:80')
    })
  }

  it('follows the TLS of the host as that comes and goes, with a memo', () => {
    const web = shop('ssl-redirect')
    const steps = [[], [ingress('shop/tls').tls('tls', 'a.example')], [ingress('shop/tls').tls('tls', '*.example')], []]
    let last = compile(clusterOf({}), SETTINGS, emptyMemo())
    const answers = steps.map((others) => {
      last = compile(clusterOf({ ingresses: [web, ...others] }), SETTINGS, last.memo)
      return ask(last.tables.routes, 'a.example/')
    })
    expect(answers).to.deep.equal(['shop/web:80', HTTPS, HTTPS, 'shop/web:80'])
  })

  it('R11-15: reaches the paths of its Ingress, and no other on the host', () => {
    const other = ingress('shop/other').host('a.example').path('/api', 'api:80')
    expect(answer([shop('force-ssl-redirect'), other], 'a.example/api')).to.equal('shop/api:80')
  })

  it('R11-11: an edit of it alone is a new configuration', () => {
    const digests = [shop(), shop('force-ssl-redirect')].map(
      (one) => compileCluster({ ingresses: [one] }).tables.routes.digest,
    )
    expect(digests[0]).not.to.equal(digests[1])
  })

  it('reaches the default backend of its Ingress: of its hosts, and of all others', () => {
    const own = shop('force-ssl-redirect').defaultBackend('api:80')
    expect(answer([ingress('shop/x').host('a.example').path('/x', 'web:80'), own], 'a.example/none')).to.equal(HTTPS)
    const rest = ingress('shop/rest').defaultBackend('api:80').annotate(`${NGINX}force-ssl-redirect`, 'true')
    expect(answer([rest], 'z.example/')).to.equal(HTTPS)
  })

  it('R11-157: comes before what a path is rewritten to, before app-root, and before a Service that is missing', () => {
    const forced = shop('force-ssl-redirect')
    expect(answer([shop('force-ssl-redirect').annotate(`${NGINX}rewrite-target`, 'https://b.example/')])).to.equal(
      HTTPS,
    )
    expect(answer([forced.annotate(`${NGINX}app-root`, '/app')])).to.equal(HTTPS)
    const missing = ingress('shop/m').host('m.example').path('/', 'none:80')
    expect(answer([missing.annotate(`${NGINX}force-ssl-redirect`, 'true')], 'm.example/')).to.equal(HTTPS)
  })

  it('R11-9: what a guard closes is closed for those by http too', () => {
    expect(answer([shop('force-ssl-redirect').annotate(`${NGINX}auth-url`, 'x')])).to.equal('503 access-rule')
  })

  it('R11-44: another name of the host is redirected as the host is', () => {
    const one = shop('ssl-redirect').annotate(`${NGINX}server-alias`, 'alias.example').tls('tls', 'a.example')
    expect(answer([one], 'alias.example/')).to.equal(HTTPS)
  })

  describe('R11-58: challenges of ACME', () => {
    it('of a Prefix, an Exact and a literal path are served by http', () => {
      expect(challenge((one) => one.path(ACME, 'web:80'))).to.equal('shop/web:80')
      expect(challenge((one) => one.exact(`${ACME}/token`, 'web:80'))).to.equal('shop/web:80')
      expect(challenge((one) => one.free(`${ACME}/token`, 'web:80'))).to.equal('shop/web:80')
    })

    it('of a path that takes them besides others are not', () => {
      expect(challenge((one) => one.path('/', 'web:80'))).to.equal(HTTPS)
      expect(challenge((one) => one.path('/.well-known', 'web:80'))).to.equal(HTTPS)
    })

    it('of a regular expression are not', () => {
      expect(challenge((one) => one.free(`${ACME}/.*`, 'web:80'))).to.equal(HTTPS)
    })

    it('of a path that is rewritten are not', () => {
      const rewrites = `${NGINX}rewrite-target`
      expect(challenge((one) => one.path(ACME, 'web:80').annotate(rewrites, '/x'))).to.equal(HTTPS)
      expect(challenge((one) => one.path(ACME, 'web:80').annotate(rewrites, 'https://b.example/'))).to.equal(HTTPS)
    })
  })

  it('a bad value is told, and the default holds', () => {
    const { tables, warnings } = compileCluster({ ingresses: [shop('force-ssl-redirect', 'yes')] })
    expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
    expect(told(warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/web ${NGINX}force-ssl-redirect`])
  })
})
