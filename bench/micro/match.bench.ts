// What one match costs (R60-12, R60-34): `node bench/micro/match.bench.ts`, and `-- hosts` or `-- regexes` for a part.
// Views are prepared and taken in a scattered order, so that no cache is warmer than under mixed traffic.
import { bench, do_not_optimize, group, run } from 'mitata'
import { buildRegexSet } from '../../src/lib/regex-set.ts'
import type { Route, RouteTable, VirtualHost } from '../../src/model/route-table.ts'
import type { RequestView } from '../../src/router/request-view.ts'
import { buildRouter, type Router } from '../../src/router/router.ts'
import { requestView } from '../../test/builders/request-view.ts'
import { exact, prefix, routeTable, virtualHost } from '../../test/builders/route-table.ts'

const SIZES = [10, 1000, 10_000, 100_000]
const REGEXES = [1, 10, 100, 300]
const VIEWS = 4096
const PATHS_PER_HOST = 10
const TAIL = 'items/12345/reviews'

function main(part: string | undefined): void {
  if (part !== 'regexes') {
    group('hosts of 10 routes each: one match', () => {
      for (const size of SIZES) benchTable(size, manyHosts(size))
    })
    group('one host with every route: one match', () => {
      for (const size of SIZES) benchTable(size, oneHost(size))
    })
    group('from nothing, and after one changed host', () => {
      for (const size of SIZES) benchBuild(size)
    })
  }
  if (part !== 'hosts') {
    group('a set of regexes: one match', () => {
      for (const count of REGEXES) benchRegexes(count)
    })
  }
}

function manyHosts(size: number): RouteTable {
  const count = Math.max(1, size / PATHS_PER_HOST)
  return routeTable(Array.from({ length: count }, (_, index) => hostOf(index, routesOf(PATHS_PER_HOST))))
}

function oneHost(size: number): RouteTable {
  return routeTable([hostOf(0, routesOf(size))])
}

function hostOf(index: number, routes: readonly Route[]): VirtualHost {
  return virtualHost(`shop-${index}.team.example`, routes)
}

function routesOf(count: number): readonly Route[] {
  return Array.from({ length: count }, (_, index) => (index % 5 === 0 ? exact : prefix)(pathOf(index)))
}

function pathOf(index: number): string {
  return index % 5 === 0 ? `/api/v1/service-${index}/${TAIL}` : `/api/v1/service-${index}`
}

/** Requests that the table takes, in an order that follows neither its hosts nor its paths. */
function viewsOf({ hosts }: RouteTable): readonly RequestView[] {
  const all = [...hosts.values()]
  return Array.from({ length: VIEWS }, (_, index) => {
    const host = all[(index * 7919) % all.length]
    const route = (index * 104_729) % (host?.routes.length ?? 1)
    return requestView(host?.host ?? '', route % 5 === 0 ? pathOf(route) : `${pathOf(route)}/${TAIL}`)
  })
}

function benchTable(size: number, table: RouteTable): void {
  const router = buildRouter(table)
  const views = viewsOf(table)
  for (const view of views) if (!router.route(view).route) throw new Error('a view that no route takes')
  console.log(`${size} routes in ${table.hosts.size} hosts: ${bytesPerMatch(router, views)} bytes allocated a match`)
  const nextView = inTurn(views)
  bench(`${size} routes`, () => do_not_optimize(router.route(nextView())))
}

/** Growth of the heap over a million matches. A rate of one small object a match would be 16 at least. */
function bytesPerMatch(router: Router, views: readonly RequestView[]): string {
  const rounds = 1_000_000
  const nextView = inTurn(views)
  const matchAll = (): void => {
    for (let index = 0; index < rounds; index += 1) router.route(nextView())
  }
  matchAll()
  const before = process.memoryUsage().heapUsed
  matchAll()
  return Math.max(0, (process.memoryUsage().heapUsed - before) / rounds).toFixed(3)
}

function benchBuild(size: number): void {
  const table = manyHosts(size)
  const router = buildRouter(table)
  const changed = { ...table, hosts: new Map(table.hosts).set('shop-0.team.example', hostOf(0, routesOf(1))) }
  bench(`${size} routes, from nothing`, () => do_not_optimize(buildRouter(table)))
  bench(`${size} routes, one host changed`, () => do_not_optimize(buildRouter(changed, router)))
}

function benchRegexes(count: number): void {
  const texts = Array.from({ length: count }, (_, index) => ({ text: `/api${index}/v[0-9]+/items/([^/]+)$` }))
  const set = buildRegexSet(texts)
  const nextPath = inTurn(texts.map((_, index) => Buffer.from(`/api${(index * 7) % count}/v2/items/12345`, 'latin1')))
  bench(`${count} patterns`, () => {
    const path = nextPath()
    do_not_optimize(set.match(path, 0, path.length))
  })
}

/** Gives one after the other, and the first again after the last. */
function inTurn<T>(values: readonly T[]): () => T {
  let next = 0
  return () => {
    const value = values[next]
    if (value === undefined) throw new Error('nothing to take in turn')
    next = (next + 1) % values.length
    return value
  }
}

main(process.argv[2])
await run()
