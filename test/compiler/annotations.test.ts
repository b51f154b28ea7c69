import { expect } from 'chai'
import type { AnnotationSpec } from '../../src/annotations/annotation-spec.ts'
import { ANNOTATIONS, NGINX_PREFIX, RAMJET_PREFIX } from '../../src/annotations/registry.ts'
import { ingress } from '../builders/ingress.ts'
import { ask, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const CLOSED = '503 access-rule'

/** An Ingress with the annotation, next to neighbours that share its host, its Service, both or neither. */
function compileWith(key: string, value: string) {
  return compileCluster({
    ingresses: [
      ingress('shop/asks').host('a.example').path('/x', 'web:http').annotate(key, value).age(5),
      ingress('shop/host').host('a.example').path('/y', 'api:80').age(1),
      ingress('shop/service').host('b.example').path('/', 'web:80').age(1),
      ingress('shop/alone').host('c.example').path('/', 'api:80').age(1),
    ],
  })
}

/** What each neighbour answers: its own path, the host's other path and the rest of the host, the shared Service, nothing shared. */
function answersOf({ tables }: ReturnType<typeof compileWith>): readonly string[] {
  return ['a.example/x', 'a.example/y', 'a.example/z', 'b.example/', 'c.example/'].map((url) => ask(tables.routes, url))
}

const OPEN = ['shop/web:80', 'shop/api:80', '404 no-route', 'shop/web:80', 'shop/api:80']

function closedBy(scope: AnnotationSpec['scope']): readonly string[] {
  switch (scope) {
    case 'location':
      return [CLOSED, ...OPEN.slice(1)]
    case 'host':
      return [CLOSED, CLOSED, CLOSED, 'shop/web:80', 'shop/api:80']
    case 'backend':
      return [CLOSED, 'shop/api:80', '404 no-route', CLOSED, 'shop/api:80']
    case 'ingress':
    case 'class':
      return OPEN
  }
}

describe('annotations of an Ingress', () => {
  for (const spec of ANNOTATIONS.filter(({ built, writtenByUs }) => !built && !writtenByUs)) {
    const { key, guardsAccess, scope } = spec
    // Whoever asks for a canary asks for no route at all in this build, see below.
    const value = 'xyz'
    it(`R11-163: ${key} ${guardsAccess ? `closes its ${scope}` : 'does nothing and is told'}`, () => {
      const result = compileWith(key, value)
      expect(answersOf(result)).to.deep.equal(guardsAccess ? closedBy(scope) : OPEN)
      const reason = guardsAccess ? 'AccessRuleInvalid' : 'UnsupportedAnnotation'
      expect(told(result.warnings)).to.deep.equal([`${reason} Ingress shop/asks ${key}`])
      expect(result.warnings[0]?.message).to.contain('not in this build').and.contain(key)
    })
    it(`R11-7: ${key} with blanks only reads as absent`, () => {
      const result = compileWith(key, ' \t\n ')
      expect(answersOf(result)).to.deep.equal(OPEN)
      expect(result.warnings).to.deep.equal([])
    })
  }

  for (const spec of ANNOTATIONS.filter(({ writtenByUs }) => writtenByUs)) {
    it(`R11-156: ${spec.key} is written by us and read as no wish`, () => {
      const result = compileWith(spec.key, '7')
      expect(answersOf(result)).to.deep.equal(OPEN)
      expect(result.warnings).to.deep.equal([])
      expect(result.tables.routes.digest).to.equal(compileWith(spec.key, '8').tables.routes.digest)
    })
  }

  for (const value of ['0', ' 0 ', '+0', '-000']) {
    it(`R11-87: a limit of "${value}" is off and closes nothing`, () => {
      const result = compileWith(`${NGINX_PREFIX}limit-rps`, value)
      expect(answersOf(result)).to.deep.equal(OPEN)
      expect(told(result.warnings)).to.deep.equal([`UnsupportedAnnotation Ingress shop/asks ${NGINX_PREFIX}limit-rps`])
    })
  }

  for (const value of ['1', '-1', '0.5', '0x0', 'many']) {
    it(`R11-163: a limit of "${value}" closes the paths of its Ingress`, () => {
      expect(answersOf(compileWith(`${NGINX_PREFIX}limit-rps`, value))).to.deep.equal(closedBy('location'))
    })
  }

  it('R11-12: proxy-ssl-verify without proxy-ssl-secret guards nothing, and is told', () => {
    const result = compileWith(`${NGINX_PREFIX}proxy-ssl-verify`, 'on')
    expect(answersOf(result)).to.deep.equal(OPEN)
    expect(told(result.warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/asks ${NGINX_PREFIX}proxy-ssl-verify`])
  })

  it('R11-9: a bad value of class deny with scope backend closes the Service port for everybody', () => {
    const result = compileWith(`${NGINX_PREFIX}proxy-ssl-secret`, 'bank/ca')
    expect(answersOf(result)).to.deep.equal(closedBy('backend'))
    expect(told(result.warnings)).to.deep.equal([`AccessRuleInvalid Ingress shop/asks ${NGINX_PREFIX}proxy-ssl-secret`])
  })

  const spoken: readonly (readonly [title: string, key: string, reason: string, message: string])[] = [
    [
      'R11-155: an unknown key of ours is told with the nearest',
      `${RAMJET_PREFIX}healt-check-path`,
      'UnknownAnnotation',
      'ramjet.dev/health-check-path',
    ],
    [
      'R11-155: an unknown key of ours that is near to none is told',
      `${RAMJET_PREFIX}zzzzzzzzzzzz`,
      'UnknownAnnotation',
      'no annotation of Ramjet',
    ],
    [
      'R11-2: an unknown key of ingress-nginx is told',
      `${NGINX_PREFIX}no-such-key`,
      'UnsupportedAnnotation',
      'neither',
    ],
    ['R11-2: a key that is never read is told why', `${NGINX_PREFIX}stream-snippet`, 'UnsupportedAnnotation', 'nginx'],
    [
      'R11-2: one that changes who may get in says so',
      `${NGINX_PREFIX}modsecurity-snippet`,
      'UnsupportedAnnotation',
      'who may get in',
    ],
    [
      'R11-94: enable-global-auth says that it changes who may get in',
      `${NGINX_PREFIX}enable-global-auth`,
      'UnsupportedAnnotation',
      'who may get in',
    ],
    [
      'R11-2: a key that ingress-nginx removed names what replaces it',
      `${NGINX_PREFIX}secure-backends`,
      'UnsupportedAnnotation',
      'backend-protocol',
    ],
  ]
  for (const [title, key, reason, message] of spoken) {
    it(title, () => {
      const result = compileWith(key, 'true')
      expect(answersOf(result)).to.deep.equal(OPEN)
      expect(told(result.warnings)).to.deep.equal([`${reason} Ingress shop/asks ${key}`])
      expect(result.warnings[0]?.message).to.contain(message)
    })
  }

  it('annotations of other prefixes concern nobody', () => {
    const key = 'cert-manager.example/cluster-issuer'
    expect(compileWith(key, 'x').warnings).to.deep.equal([])
  })

  it('a guard closes the default backend of its Ingress too, of its hosts and of all', () => {
    const key = `${NGINX_PREFIX}auth-url`
    const own = ingress('shop/web').host('a.example').path('/x', 'web:80').defaultBackend('api:80')
    const all = ingress('shop/all').defaultBackend('api:80')
    const { tables } = compileCluster({ ingresses: [own.annotate(key, 'x'), all.annotate(key, 'x')] })
    expect(ask(tables.routes, 'a.example/y')).to.equal(CLOSED)
    expect(ask(tables.routes, 'b.example/y')).to.equal(CLOSED)
  })

  it('a guard of the host on an Ingress without rules closes what is left over', () => {
    const closing = ingress('shop/young').defaultBackend('api:80').annotate(`${NGINX_PREFIX}auth-tls-secret`, 'ca')
    const { tables } = compileCluster({
      ingresses: [ingress('shop/old').defaultBackend('web:80').age(0), closing.age(9)],
    })
    expect(ask(tables.routes, 'b.example/')).to.equal(CLOSED)
  })

  it('a closed route names no backend, so nobody dials it', () => {
    const { tables } = compileCluster({
      ingresses: [ingress('shop/web').host('a.example').path('/', 'web:80').annotate(`${NGINX_PREFIX}auth-url`, 'x')],
    })
    expect([...tables.routes.backends.keys()]).to.deep.equal([])
  })
})

const canary = (value: string) =>
  compileCluster({
    ingresses: [
      ingress('shop/main').host('a.example').path('/', 'web:80').age(2),
      ingress('shop/canary')
        .host('a.example')
        .path('/', 'new:80')
        .path('/beta', 'new:80')
        .host('b.example')
        .path('/', 'new:80')
        .annotate(`${NGINX_PREFIX}canary`, value)
        .age(1),
    ],
  })

describe('a canary Ingress in a build without canaries', () => {
  for (const value of ['true', ' True ']) {
    it(`R31-1: "${value}" takes no traffic and is told so`, () => {
      const { tables, warnings } = canary(value)
      expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
      expect(ask(tables.routes, 'a.example/beta')).to.equal('shop/web:80')
      expect(ask(tables.routes, 'b.example/')).to.equal('404 no-route')
      expect(told(warnings)).to.deep.equal([`UnsupportedAnnotation Ingress shop/canary ${NGINX_PREFIX}canary`])
      expect(warnings[0]?.message).to.contain('not in this build').and.contain('takes no traffic')
    })
  }

  for (const value of ['false', '1', 'yes', 'on']) {
    it(`R31-1: "${value}" marks no canary`, () => {
      expect(ask(canary(value).tables.routes, 'b.example/')).to.equal('shop/new:80')
    })
  }

  it('R11-16: a guard on it closes nobody else', () => {
    const builder = ingress('shop/canary')
      .host('a.example')
      .path('/', 'new:80')
      .annotate(`${NGINX_PREFIX}canary`, 'true')
    const { tables, warnings } = compileCluster({
      ingresses: [
        ingress('shop/main').host('a.example').path('/', 'web:80'),
        builder.annotate(`${NGINX_PREFIX}auth-tls-secret`, 'ca'),
      ],
    })
    expect(ask(tables.routes, 'a.example/')).to.equal('shop/web:80')
    expect(warnings.map(({ reason }) => reason)).to.deep.equal(['UnsupportedAnnotation', 'UnsupportedAnnotation'])
  })
})
