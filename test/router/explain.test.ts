import { expect } from 'chai'
import { explainMatch } from '../../src/router/explain.ts'
import { exact, prefix, regex, routeTable, virtualHost } from '../builders/route-table.ts'

const API = prefix('/api')
const FALLBACK = prefix('', { id: 'fallback' })
const TABLE = routeTable(
  [
    virtualHost('shop.example', [exact('/api/v1'), API, regex('/v[0-9]+')], { fallback: FALLBACK }),
    virtualHost('*.example', [prefix('/wild')]),
    virtualHost('a.b.example', [prefix('')]),
  ],
  { defaultRoute: prefix('', { id: 'default' }) },
)

/** The taken route's id, and why each route before it was passed over. */
function explained(host: string, path: string): unknown {
  const { host: name, route, by, passed } = explainMatch(TABLE, host, path)
  return [name, route?.id, by, ...passed.map(({ why }) => why)]
}

describe('explainMatch', () => {
  for (const [host, path, ...want] of [
    ['shop.example', '/api/x', 'shop.example', 'Prefix /api', 'path', 'is not "/api/v1"'],
    ['shop.example', '/api/v1', 'shop.example', 'Exact /api/v1', 'path'],
    ['shop.example', '/v2/x', 'shop.example', 'Regex /v[0-9]+', 'path', 'is not "/api/v1"', 'is not below "/api"'],
    [
      'shop.example',
      '/other',
      'shop.example',
      'fallback',
      'default',
      'is not "/api/v1"',
      'is not below "/api"',
      'does not match /v[0-9]+',
    ],
    ['c.example', '/wild/x', '*.example', 'Prefix /wild', 'path'],
    ['c.example', '/', '*.example', 'default', 'default', 'is not below "/wild"'],
    ['a.b.example', '/', 'a.b.example', 'Prefix ', 'path'],
    ['c.b.example', '/', undefined, 'default', 'default'],
    ['', '/', undefined, 'default', 'default'],
  ] as const) {
    it(`of ${host}${path}`, () => expect(explained(host, path)).to.deep.equal(want))
  }

  it('says that nothing takes it', () => {
    expect(explainMatch(routeTable([]), 'a.example', '/')).to.deep.equal({
      host: undefined,
      route: undefined,
      by: 'none',
      passed: [],
      leftOut: 0,
    })
  })

  it('shows 100 routes of a host that has more, and how many are left out', () => {
    const routes = Array.from({ length: 150 }, (_none, index) => exact(`/${index}`))
    const { passed, leftOut } = explainMatch(routeTable([virtualHost('a.example', routes)]), 'a.example', '/x')
    expect([passed.length, leftOut]).to.deep.equal([100, 50])
  })
})
