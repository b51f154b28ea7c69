import { expect } from 'chai'
import type { Route } from '../../src/model/route-table.ts'
import { type IngressBuilder, ingress } from '../builders/ingress.ts'
import { ask, templateText, told } from './ask.ts'
import { compileCluster } from './cluster.ts'

const NGINX = 'nginx.ingress.kubernetes.io/'
const RAMJET = 'ramjet.dev/'

type Result = ReturnType<typeof compileCluster>

function routesOf({ tables }: Result, host = 'a.example'): readonly Route[] {
  return tables.routes.hosts.get(host)?.routes ?? []
}

/** The rewrites of a host's routes, by path. */
function rewritesOf(result: Result): Readonly<Record<string, string>> {
  const entries = routesOf(result).map(({ path, policy }) => {
    const rewrite = policy?.rewrite
    return [path, rewrite ? `${rewrite.replaces} ${templateText(rewrite.template)}` : '-'] as const
  })
  return Object.fromEntries(entries)
}

describe('rewriting by annotations', () => {
  it('R11-46: each path resolves the captures that it has, and one that lacks them serves as it is', () => {
    const asks = ingress('shop/web')
      .host('a.example')
      .free('/api(/|$)(.*)', 'web:80')
      .path('/plain', 'web:80')
      .annotate(`${NGINX}rewrite-target`, '/$2')
    const result = compileCluster({ ingresses: [asks] })
    expect(rewritesOf(result)).to.deep.equal({ '/api(/|$)(.*)': `whole /\${2}`, '/plain': '-' })
    expect(told(result.warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/web ${NGINX}rewrite-target`])
    expect(result.warnings[0]?.message).to.equal(
      `${NGINX}rewrite-target names the capture 2, which path "/plain" of a.example does not have; it does nothing there`,
    )
    expect(ask(result.tables.routes, 'a.example/plain')).to.equal('shop/web:80')
  })

  it('R11-46: a target equal to the path does nothing, and is not told', () => {
    const asks = ingress('shop/web').host('a.example').path('/', 'web:80').annotate(`${NGINX}rewrite-target`, '/')
    const result = compileCluster({ ingresses: [asks] })
    expect(rewritesOf(result)).to.deep.equal({ '/': '-' })
    expect(result.warnings).to.deep.equal([])
  })

  it('R11-46: a URL redirects, whether the Service exists or not', () => {
    const asks = ingress('shop/web').host('a.example').free('/old/(.*)', 'none:80')
    asks.annotate(`${NGINX}rewrite-target`, 'https://new.example/$1')
    const result = compileCluster({ ingresses: [asks] })
    expect(ask(result.tables.routes, 'a.example/old/x')).to.equal(`302 https://new.example/\${1}`)
    expect(result.warnings).to.deep.equal([])
  })

  it('R11-163: a redirect is closed by a guard as a route is', () => {
    const asks = ingress('shop/web').host('a.example').path('/', 'web:80')
    asks.annotate(`${NGINX}rewrite-target`, 'https://new.example/').annotate(`${NGINX}auth-url`, 'https://auth.example')
    expect(ask(compileCluster({ ingresses: [asks] }).tables.routes, 'a.example/')).to.equal('503 access-rule')
  })

  it('R11-154: ramjet.dev/rewrite-target keeps the rest behind a Prefix, and is whole elsewhere', () => {
    const asks = ingress('shop/web')
      .host('a.example')
      .path('/p', 'web:80')
      .exact('/e', 'web:80')
      .free('/lit', 'web:80')
      .free('/r/(?P<id>[0-9]+)', 'web:80')
      .annotate(`${RAMJET}rewrite-target`, `/v2\${0}`)
    expect(rewritesOf(compileCluster({ ingresses: [asks] }))).to.deep.equal({
      '/p': `matched /v2\${0}`,
      '/e': `whole /v2\${0}`,
      '/lit': `matched /v2\${0}`,
      '/r/(?P<id>[0-9]+)': `whole /v2\${0}`,
    })
  })

  it('R11-154: names of captures become their numbers', () => {
    const asks = ingress('shop/web').host('a.example').free('/r/(?P<id>[0-9]+)', 'web:80')
    asks.annotate(`${RAMJET}rewrite-target`, `/item/\${id}`)
    expect(rewritesOf(compileCluster({ ingresses: [asks] }))).to.deep.equal({
      '/r/(?P<id>[0-9]+)': `whole /item/\${1}`,
    })
  })

  it('R11-47: of both spellings ours rules, and the other is told', () => {
    const asks = ingress('shop/web').host('a.example').path('/p', 'web:80')
    asks.annotate(`${RAMJET}rewrite-target`, '/ours').annotate(`${NGINX}rewrite-target`, '/theirs')
    asks.annotate(`${RAMJET}use-regex`, 'false').annotate(`${NGINX}use-regex`, 'true')
    const result = compileCluster({ ingresses: [asks] })
    expect(rewritesOf(result)).to.deep.equal({ '/p': 'matched /ours' })
    expect(told(result.warnings)).to.deep.equal([
      `AnnotationShadowed Ingress shop/web ${NGINX}rewrite-target`,
      `AnnotationShadowed Ingress shop/web ${NGINX}use-regex`,
    ])
  })

  it('R11-45, 72 #1 regex_scope: use-regex reaches the free paths of its Ingress and no other', () => {
    const asks = ingress('shop/regex').host('a.example').free('/free', 'api:80').path('/prefix', 'api:80').age(1)
    const other = ingress('shop/other').host('a.example').free('/else', 'web:80').exact('/Exact', 'web:80').age(2)
    const { tables } = compileCluster({ ingresses: [asks.annotate(`${NGINX}use-regex`, 'true'), other] })
    const answers = ['/freedom', '/FREE', '/prefixed', '/elsewhere', '/ELSE', '/exact'].map((path) =>
      ask(tables.routes, `a.example${path}`),
    )
    const none = '404 no-route'
    expect(answers).to.deep.equal(['shop/api:80', 'shop/api:80', none, none, none, none])
  })

  it('R11-45: false reads a path as it stands', () => {
    const asks = ingress('shop/web').host('a.example').free('/a(b)', 'web:80').annotate(`${NGINX}use-regex`, 'false')
    const { tables } = compileCluster({ ingresses: [asks] })
    expect(ask(tables.routes, 'a.example/a(b)')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'a.example/ab')).to.equal('404 no-route')
  })

  it('R11-43: the prefix goes where the path is rewritten, and needs that', () => {
    const asks = ingress('shop/web').host('a.example').path('/p', 'web:80').annotate(`${NGINX}x-forwarded-prefix`, '/p')
    const alone = compileCluster({ ingresses: [asks] })
    expect(told(alone.warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/web ${NGINX}x-forwarded-prefix`])
    const both = compileCluster({ ingresses: [asks.annotate(`${NGINX}rewrite-target`, '/')] })
    expect(routesOf(both).map(({ policy }) => policy?.forwardedPrefix)).to.deep.equal([['/p']])
    expect(both.warnings).to.deep.equal([])
  })
})

describe('app-root (R11-48)', () => {
  const to = '302 /app'

  for (const [taker, other] of [
    ['a Prefix', ingress('shop/all').host('a.example').path('/', 'api:80')],
    ['an Exact path', ingress('shop/all').host('a.example').exact('/', 'api:80')],
    ['a regular expression', ingress('shop/all').host('a.example').free('/.*', 'api:80')],
    ['a default backend', ingress('shop/all').host('a.example').path('/y', 'api:80').defaultBackend('api:80')],
    ['nobody', ingress('shop/all').host('b.example').path('/', 'api:80')],
  ] as const) {
    it(`sends exactly / where ${taker} takes it`, () => {
      const { tables } = compileCluster({ ingresses: [root(), other.age(2)] })
      expect(ask(tables.routes, 'a.example/')).to.equal(to)
      expect(ask(tables.routes, 'a.example/x')).to.equal('shop/web:80')
      expect(ask(tables.routes, 'a.example/zz')).to.not.equal(to)
    })
  }

  it('is behind what guards the route that takes /', () => {
    const guarded = ingress('shop/all').host('a.example').path('/', 'api:80').age(2)
    guarded.annotate(`${NGINX}auth-url`, 'https://auth.example')
    const { tables } = compileCluster({ ingresses: [root(), guarded] })
    expect(ask(tables.routes, 'a.example/')).to.equal('503 access-rule')
  })

  it('R11-15: is the oldest Ingress’s of the host, and one that says something else is told', () => {
    const younger = ingress('shop/late').host('a.example').path('/z', 'api:80').age(3)
    const same = ingress('shop/same').host('a.example').path('/s', 'api:80').annotate(`${NGINX}app-root`, '/app').age(4)
    const result = compileCluster({ ingresses: [root(), younger.annotate(`${NGINX}app-root`, '/late'), same] })
    expect(ask(result.tables.routes, 'a.example/')).to.equal(to)
    expect(told(result.warnings)).to.deep.equal([`AnnotationConflict Ingress shop/late ${NGINX}app-root`])
  })
})

describe('server-alias (R11-44, R11-49)', () => {
  const ALIAS = `${NGINX}server-alias`

  it('gives the host other names, with the same routes and counters', () => {
    const { tables, warnings } = compileCluster({ ingresses: [web().annotate(ALIAS, 'B.example, *.c.example')] })
    expect(ask(tables.routes, 'b.example/x')).to.equal('shop/web:80')
    expect(ask(tables.routes, 'x.c.example/')).to.equal('shop/web:80')
    expect(tables.routes.hosts.get('b.example')?.routes).to.equal(tables.routes.hosts.get('a.example')?.routes)
    expect(warnings).to.deep.equal([])
  })

  it('drops a bad name alone, and never reads one as a pattern', () => {
    const result = compileCluster({ ingresses: [web().annotate(ALIAS, '~^b, b.example, 192.0.2.1')] })
    expect(ask(result.tables.routes, 'b.example/')).to.equal('shop/web:80')
    expect(told(result.warnings)).to.deep.equal([`InvalidAnnotation Ingress shop/web ${ALIAS}`])
  })

  it('takes the first 256 names, and tells that there are more', () => {
    const names = Array.from({ length: 1500 }, (_name, index) => `a${index}.io`)
    const many = compileCluster({ ingresses: [web().annotate(ALIAS, names.join(','))] })
    expect(many.tables.routes.hosts.size).to.equal(257)
    expect(ask(many.tables.routes, 'a255.io/')).to.equal('shop/web:80')
    expect(many.warnings.map(({ message }) => message)).to.deep.equal([
      `${ALIAS} has 1500 entries, and the first 256 are read; the others do nothing`,
    ])
  })

  it('drops a name that a rule of any Ingress has, older or younger', () => {
    const other = ingress('shop/api').host('b.example').path('/', 'api:80').age(9)
    const result = compileCluster({ ingresses: [web().annotate(ALIAS, 'b.example'), other] })
    expect(ask(result.tables.routes, 'b.example/')).to.equal('shop/api:80')
    expect(told(result.warnings)).to.deep.equal([`AnnotationConflict Ingress shop/web ${ALIAS}`])
  })

  it('leaves a name that two ask for to the older', () => {
    const other = ingress('shop/api').host('d.example').path('/', 'api:80').annotate(ALIAS, 'b.example').age(2)
    const result = compileCluster({ ingresses: [web().annotate(ALIAS, 'b.example'), other] })
    expect(ask(result.tables.routes, 'b.example/')).to.equal('shop/web:80')
    expect(told(result.warnings)).to.deep.equal([`AnnotationConflict Ingress shop/api ${ALIAS}`])
  })
})

function root(): IngressBuilder {
  return ingress('shop/root').host('a.example').path('/x', 'web:80').annotate(`${NGINX}app-root`, '/app').age(1)
}

function web(): IngressBuilder {
  return ingress('shop/web').host('a.example').path('/', 'web:80').age(1)
}
