import { expect } from 'chai'
import * as fc from 'fast-check'
import type { Endpoint } from '../../../src/model/endpoint-table.ts'
import { HashRing } from '../../../src/router/balance/hash-ring.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract, countPicks, points } from '../../contract/balancer.ts'

const named = (count: number): readonly Endpoint[] =>
  Array.from({ length: count }, (_none, index) => endpoint(`192.0.2.${index + 1}:80`))

balancerContract('hash', ({ endpoints }) => new HashRing(endpoints), { tolerance: 0.2 })

describe('a hash ring', () => {
  it('answers a point always alike, whoever built it (R20-135)', () => {
    const [one, other] = [new HashRing(named(5)), new HashRing(named(5))]
    for (const point of points(200)) expect(one.pick(point, [])).to.deep.equal(other.pick(point, []))
  })

  it('goes by the addresses alone: their order means nothing', () => {
    const reversed = new HashRing(named(5).toReversed())
    const ring = new HashRing(named(5))
    for (const point of points(500)) expect(reversed.pick(point, [])?.address).to.equal(ring.pick(point, [])?.address)
  })

  it('moves only the keys of an endpoint that leaves, and those to the others', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 12 }), fc.nat(11), (count, leaving) => {
        const all = named(count)
        const gone = all[leaving % count]
        const left = all.filter((one) => one !== gone)
        const [before, after] = [new HashRing(all), new HashRing(left)]
        for (const point of points(300)) {
          const was = before.pick(point, [])
          if (was !== gone) expect(after.pick(point, [])).to.equal(was)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('sends a key whose endpoint was tried where it would go without it', () => {
    const all = named(4)
    const ring = new HashRing(all)
    for (const point of points(100)) {
      const first = ring.pick(point, [])
      const without = new HashRing(all.filter((one) => one !== first))
      expect(ring.pick(point, first ? [first] : [])).to.equal(without.pick(point, []))
    }
  })

  it('gives an endpoint its share by weight', () => {
    const [one, two] = named(2)
    const ring = new HashRing([one, two].flatMap((part, index) => (part ? [{ ...part, weight: index + 1 }] : [])))
    const counts = countPicks(points(3000).map((point) => ring.pick(point, [])))
    expect(counts.get('192.0.2.2:80')).to.be.closeTo(2000, 250)
  })

  it('gives the smallest of very uneven weights a place', () => {
    const ring = new HashRing(named(3).map((one, index) => ({ ...one, weight: index === 0 ? 1 : 1_000_000 })))
    const picked = new Set(points(65_536 * 4).map((point) => ring.pick(point, [])?.host))
    expect(picked).to.have.keys(['192.0.2.1', '192.0.2.2', '192.0.2.3'])
  })
})
