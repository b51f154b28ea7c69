import { expect } from 'chai'
import * as fc from 'fast-check'
import { type BuiltTables, buildTables, noTables } from '../../src/dataplane/built-tables.ts'
import { diffPairs, type PairDelta } from '../../src/dataplane/delta.ts'
import { endpointNameChanges, routeNameChanges, routeNamesOf } from '../../src/dataplane/slot-names.ts'
import { changeDigest, emptyDigest } from '../../src/lib/bucketed-digest.ts'
import { runSteps } from '../../src/lib/steps.ts'
import { routeElements } from '../../src/model/elements.ts'
import type { Pair } from '../../src/model/generation.ts'
import { certificateFor, certificateTable } from '../builders/certificates.ts'
import { asPair, backendOf, pairOf, routeIdOf, type Sites, tablesOf } from '../builders/pair.ts'

function sitesOf(count: number): Record<string, string[]> {
  return Object.fromEntries(
    Array.from({ length: count }, (_none, index) => [`host-${index}.example`, [`192.0.2.${index % 250}:80`]]),
  )
}

function keysOf(delta: PairDelta): unknown {
  return {
    hosts: delta.hosts.set.map(({ host }) => host),
    backends: delta.backends.set.map(({ name }) => name),
    endpoints: delta.endpoints.set.map(({ backend }) => backend),
    removed: [...delta.hosts.removed, ...delta.backends.removed, ...delta.endpoints.removed],
  }
}

function built(base: BuiltTables, delta: PairDelta): BuiltTables {
  const result = runSteps(buildTables(base, delta))
  if (!result.ok) throw new Error(result.error)
  return result.value
}

describe('diffPairs', () => {
  it('is the whole where a worker has nothing', () => {
    const delta = diffPairs(undefined, pairOf({ 'a.example': ['192.0.2.1:80'] }))
    expect(keysOf(delta)).to.deep.equal({
      hosts: ['a.example'],
      backends: [backendOf('a.example')],
      endpoints: [backendOf('a.example')],
      removed: [],
    })
  })

  it('has only the elements of the one host that changed, and few bytes for ten thousand hosts (R00-1)', () => {
    const sites = sitesOf(10_000)
    const base = pairOf(sites)
    const next = pairOf({ ...sites, 'host-77.example': ['198.51.100.1:80'] }, { generation: 2 })
    const delta = diffPairs(base, next)
    expect(keysOf(delta)).to.deep.equal({
      hosts: [],
      backends: [],
      endpoints: [backendOf('host-77.example')],
      removed: [],
    })
    expect(JSON.stringify(delta).length).to.be.below(1_000)
  })

  it('names what is gone by its key', () => {
    const delta = diffPairs(
      pairOf({ 'a.example': [], 'b.example': [] }),
      pairOf({ 'b.example': [] }, { generation: 2 }),
    )
    expect(keysOf(delta)).to.deep.equal({
      hosts: [],
      backends: [],
      endpoints: [],
      removed: ['a.example', backendOf('a.example'), backendOf('a.example')],
    })
  })

  it('is empty between equal tables that share no object', () => {
    const delta = diffPairs(pairOf(sitesOf(5)), pairOf(sitesOf(5), { generation: 2 }))
    expect(keysOf(delta)).to.deep.equal({ hosts: [], backends: [], endpoints: [], removed: [] })
  })
})

describe('buildTables', () => {
  it('keeps the objects of what did not change, and the very table where nothing did', () => {
    const first = pairOf(sitesOf(3))
    const base = built(noTables(), diffPairs(undefined, first))
    const next = pairOf({ ...sitesOf(3), 'host-1.example': ['198.51.100.1:80'] }, { version: 2 })
    const after = built(base, diffPairs(first, next))
    expect(after.routes).to.equal(base.routes)
    const unchanged = backendOf('host-2.example')
    expect(after.endpoints.byBackend.get(unchanged)).to.equal(base.endpoints.byBackend.get(unchanged))
  })

  it('follows the default route as it comes, changes and goes', () => {
    const pairs = [{}, { fallbackTo: 'a.example' }, { fallbackTo: 'b.example' }, {}].map((options, index) =>
      asPair(tablesOf(sitesOf(2), options), { generation: index + 1 }),
    )
    let tables = noTables()
    let before: Pair | undefined
    for (const pair of pairs) {
      tables = built(tables, diffPairs(before, pair))
      before = pair
      expect(tables.routes.defaultRoute).to.deep.equal(pair.generation.routes.defaultRoute)
    }
  })

  it('says which digest came out otherwise than announced', () => {
    const delta = diffPairs(undefined, pairOf(sitesOf(1)))
    expect(runSteps(buildTables(noTables(), { ...delta, digest: 'other' }))).to.deep.include({ ok: false })
    const result = runSteps(buildTables(noTables(), { ...delta, endpointsDigest: 'other' }))
    expect(result.ok ? '' : result.error).to.match(
      /^the endpoints came out as [0-9a-f]{32} and was announced as other$/,
    )
  })

  const anySites: fc.Arbitrary<Sites> = fc.dictionary(
    fc.constantFrom('a.example', 'b.example', 'c.example', 'd.example'),
    fc.subarray(['192.0.2.1:80', '192.0.2.2:80', '[2001:db8::1]:80']),
  )

  it('makes the tables of every pair out of those of the pair before', () => {
    fc.assert(
      fc.property(fc.array(anySites, { minLength: 1, maxLength: 8 }), (steps) => {
        let tables = noTables()
        let before: Pair | undefined
        for (const [index, sites] of steps.entries()) {
          const pair = pairOf(sites, { generation: index + 1 })
          tables = built(tables, diffPairs(before, pair))
          before = pair
          expect(tables.routes.hosts).to.deep.equal(pair.generation.routes.hosts)
          expect(tables.endpoints.digest).to.equal(pair.endpoints.table.digest)
        }
      }),
    )
  })

  it('counts each name as often as the pair has it, however it came about', () => {
    fc.assert(
      fc.property(fc.array(anySites, { minLength: 1, maxLength: 8 }), (steps) => {
        const counts = new Map<string, number>()
        let before: Pair | undefined
        for (const [index, sites] of steps.entries()) {
          const pair = pairOf(sites, { generation: index + 1 })
          const delta = diffPairs(before, pair)
          for (const { name, by } of [...routeNameChanges(before, delta), ...endpointNameChanges(before, delta)]) {
            counts.set(name, (counts.get(name) ?? 0) + by)
          }
          before = pair
        }
        const want = new Map<string, number>()
        for (const [host, addresses] of Object.entries(steps.at(-1) ?? {})) {
          for (const name of [routeIdOf(host), ...addresses]) want.set(name, (want.get(name) ?? 0) + 1)
        }
        const left = [...counts].filter(([, count]) => count !== 0)
        expect(new Map(left)).to.deep.equal(want)
      }),
    )
  })

  it('brings the names of the routes it sets, the default route included', () => {
    const pair = asPair(tablesOf(sitesOf(1), { fallbackTo: 'host-0.example' }))
    expect(routeNamesOf(diffPairs(undefined, pair))).to.deep.equal([routeIdOf('host-0.example'), 'default'])
  })
})

/** One site, and these names with certificates. */
function pairWithCertificates(names: readonly string[], generation: number): Pair {
  const base = pairOf({ 'a.example': ['192.0.2.1:80'] }, { generation })
  const routes = { ...base.generation.routes, certificates: certificateTable(names) }
  const { root } = changeDigest(emptyDigest(), routeElements(routes), [])
  return { ...base, generation: { ...base.generation, digest: root, routes: { ...routes, digest: root } } }
}

describe('certificates in a delta', () => {
  it('are those that a worker lacks, with the names that they serve (R00-10)', () => {
    const delta = diffPairs(pairWithCertificates(['a.example'], 1), pairWithCertificates(['a.example', 'b.example'], 2))
    expect(delta.certificates).to.deep.equal({ set: [certificateFor('b.example')], removed: [] })
    expect(delta.serverNames.set.map(({ host }) => host)).to.deep.equal(['b.example'])
  })

  it('make the table of main in a worker, are checked by the digest, and go again', () => {
    const [first, second] = [
      pairWithCertificates(['a.example', 'b.example'], 1),
      pairWithCertificates(['b.example'], 2),
    ]
    const before = built(noTables(), diffPairs(undefined, first))
    expect(before.routes.certificates).to.deep.equal(first.generation.routes.certificates)
    const after = built(before, diffPairs(first, second))
    expect(after.routes.certificates).to.deep.equal(second.generation.routes.certificates)
    const forged = { ...diffPairs(first, second), certificates: { set: [], removed: [] } }
    expect(runSteps(buildTables(before, forged))).to.have.property('ok', false)
  })
})
