// R10-51, R70-38: the router equals the obvious one, at sizes where an implementation might change its mind.
import { expect } from 'chai'
import * as fc from 'fast-check'
import type { PathMatch, Route, RouteTable, VirtualHost } from '../../src/model/route-table.ts'
import type { Decision } from '../../src/router/decision.ts'
import { buildRouter, type Router } from '../../src/router/router.ts'
import { requestView } from '../builders/request-view.ts'
import { route, routeTable, virtualHost } from '../builders/route-table.ts'
import { naiveRoute } from './naive-router.ts'

const REQUESTS = 60
const DECIDERS = [
  'Exact forward',
  'Exact respond',
  'Prefix forward',
  'Prefix respond',
  'Regex forward',
  'Regex respond',
  'fallback',
  'no-route',
]

// Few labels and segments, so that names and paths meet, contain one another and differ by one character.
const label = fc.constantFrom('a', 'b', 'ab', 'aa', 'shop', 'shops', 'x-1', '__proto__')
const name = fc.array(label, { minLength: 1, maxLength: 4 }).map((labels) => labels.join('.'))
const ruleHost = fc.oneof(
  { weight: 6, arbitrary: name },
  { weight: 2, arbitrary: name.map((rest) => `*.${rest}`) },
  { weight: 1, arbitrary: fc.constant('*') },
)
const segment = fc.constantFrom('', 'a', 'b', 'ab', 'A', 'api', 'apis', 'v1', '%2F', 'a;b', '~')
const segments = fc.array(segment, { minLength: 1, maxLength: 5 })
const path = segments.map((parts) => `/${parts.join('/')}`)
const match: fc.Arbitrary<PathMatch> = fc.oneof(
  { weight: 4, arbitrary: path.map((value): PathMatch => ({ type: 'Exact', value })) },
  { weight: 6, arbitrary: path.map((value): PathMatch => ({ type: 'Prefix', value: value.replace(/\/+$/, '') })) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(path, fc.constantFrom('', '$', '[0-9]+', '(/|$)(.*)', '.*b$'))
      .map(([lead, tail]): PathMatch => ({ type: 'Regex', pattern: lead + tail })),
  },
)
const action: fc.Arbitrary<Route['action']> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Route['action']>({ kind: 'forward', backends: [{ backend: 'a', weight: 1 }] }) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Route['action']>(
      { kind: 'refuse', reason: 'unresolved-service' },
      { kind: 'refuse', reason: 'access-rule' },
    ),
  },
)
const draft = fc.record({ host: ruleHost, match, action })
const lone = fc.option(fc.record({ match, action }), { nil: undefined })

/** As a compile leaves it: alike rules once, routes in order of precedence (R10-26, R10-28). */
function buildTable(
  drafts: readonly { readonly host: string; readonly match: PathMatch; readonly action: Route['action'] }[],
  fallbacks: ReadonlyMap<string, Route>,
  defaultRoute: Route | undefined,
): RouteTable {
  const byHost = new Map<string, Map<string, Route>>()
  for (const { host, ...fields } of drafts) {
    const routes = byHost.get(host) ?? new Map<string, Route>()
    const key = JSON.stringify(fields.match)
    if (!routes.has(key)) routes.set(key, route(fields.match, { action: fields.action, id: `${host} ${key}` }))
    byHost.set(host, routes)
  }
  const hosts = [...byHost].map(([host, routes]): VirtualHost => {
    return virtualHost(host, [...routes.values()].toSorted(byPrecedence), { fallback: fallbacks.get(host) })
  })
  return routeTable(hosts, { defaultRoute })
}

function byPrecedence(a: Route, b: Route): number {
  return rank(b.match) - rank(a.match)
}

function rank(one: PathMatch): number {
  switch (one.type) {
    case 'Exact':
      return 10_000
    case 'Prefix':
      return one.value.length
    case 'Regex':
      return -1
  }
}

const table = (size: number): fc.Arbitrary<RouteTable> =>
  fc
    .record({
      drafts: fc.array(draft, { minLength: size, maxLength: size, size: 'max' }),
      fallbacks: fc.array(draft, { maxLength: 3 }),
      defaultRoute: lone,
    })
    .map(({ drafts, fallbacks, defaultRoute }) =>
      buildTable(
        drafts,
        new Map(fallbacks.map((one) => [one.host, route(one.match, { action: one.action, id: 'fallback' })])),
        defaultRoute && route(defaultRoute.match, { action: defaultRoute.action, id: 'default' }),
      ),
    )

const requestHost = fc.oneof(
  { weight: 9, arbitrary: name },
  { weight: 1, arbitrary: fc.constantFrom('', '[::1]', '192.0.2.1') },
)
const requests = fc.array(fc.tuple(requestHost, path), { minLength: REQUESTS, maxLength: REQUESTS })

/** Names the decision: equal routes are the same object. */
function told(decision: Decision): unknown {
  return decision.kind === 'forward'
    ? { ...decision, route: decision.route.id }
    : { ...decision, route: decision.route?.id }
}

/** What decided: a test in which something never does proves nothing about it. */
function deciderOf(decision: Decision): string {
  if (decision.kind === 'forward' && !decision.matched) return 'fallback'
  if (decision.kind === 'respond' && !decision.route) return decision.reason
  return `${decision.route?.match.type} ${decision.kind}`
}

function expectAgreement(
  router: Router,
  wanted: RouteTable,
  asked: readonly (readonly [string, string])[],
  seen: Set<string> = new Set(),
): void {
  for (const [host, target] of asked) {
    const got = router.route(requestView(host, target))
    const want = naiveRoute(wanted, host, target)
    expect(told(got), `${host}${target}`).to.deep.equal(told(want))
    if (got.route) expect(got.route).to.equal(want.route)
    seen.add(deciderOf(got))
  }
}

describe('the router and a naive one', () => {
  it('decide alike at 1, 99 and 101 routes', function () {
    this.timeout(120_000)
    const seen = new Set<string>()
    for (const [size, numRuns] of [
      [1, 1500],
      [99, 100],
      [101, 100],
    ] as const) {
      fc.assert(
        fc.property(table(size), requests, (wanted, asked) => {
          expectAgreement(buildRouter(wanted), wanted, asked, seen)
        }),
        { numRuns },
      )
    }
    expect([...seen]).to.include.members(DECIDERS)
  })

  it('decide alike at 10,000 routes', function () {
    this.timeout(120_000)
    // Names and paths are many here, or 10,000 rules would be a few hundred.
    const drafts = Array.from({ length: 10_000 }, (_, index) => ({
      host: ['*', `*.h${index % 40}.example`, `h${index % 700}.example`, 'big.example'][index % 4] ?? '*',
      match: literal(index),
      action: { kind: 'forward' as const, backends: [{ backend: `b${index}`, weight: 1 }] },
    }))
    const wanted = buildTable(drafts, new Map([['big.example', route({ type: 'Prefix', value: '' })]]), undefined)
    expect([...wanted.hosts.values()].reduce((sum, { routes }) => sum + routes.length, 0)).to.equal(10_000)
    const router = buildRouter(wanted)
    const host = fc
      .nat(800)
      .chain((n) => fc.constantFrom(`h${n}.example`, `x.h${n}.example`, 'big.example', 'y.x.h1.example'))
    const target = fc
      .tuple(fc.nat(11_000), fc.constantFrom('', '/', '/x', 'x', '/y/z'))
      .map(([index, tail]) => pathNumber(index) + tail)
    fc.assert(
      fc.property(fc.array(fc.tuple(host, target), { minLength: 20, maxLength: 20 }), (asked) =>
        expectAgreement(router, wanted, asked),
      ),
      { numRuns: 200 },
    )
  })

  it('decide alike after changes that reuse what did not change', function () {
    this.timeout(60_000)
    fc.assert(
      fc.property(
        table(30),
        table(30),
        fc.array(fc.boolean(), { minLength: 30, maxLength: 30 }),
        requests,
        (a, b, keep, asked) => {
          const hosts = new Map(b.hosts)
          for (const [index, [host, value]] of [...a.hosts].entries()) if (keep[index]) hosts.set(host, value)
          const mixed = { ...b, hosts }
          expectAgreement(buildRouter(mixed, buildRouter(a)), mixed, asked)
        },
      ),
      { numRuns: 60 },
    )
  })
})

function literal(index: number): PathMatch {
  return { type: index % 3 === 0 ? 'Exact' : 'Prefix', value: pathNumber(index) }
}

function pathNumber(index: number): string {
  return index % 2 === 0 ? `/app${index}` : `/team${index % 50}/app${index}/v1`
}
