import { expect } from 'chai'
import * as fc from 'fast-check'
import { RandomChoice } from '../../../src/router/balance/random.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract, countPicks, points } from '../../contract/balancer.ts'

const endpoints = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80', '192.0.2.4:80'].map((address) => endpoint(address))

balancerContract('random', (input) => new RandomChoice(input))

describe('random', () => {
  it('never picks the busiest: one of two choices is less busy', () => {
    const balancer = new RandomChoice({ endpoints })
    const picked = points(4000).map((point) =>
      balancer.pick(point, [], (address) => (address === '192.0.2.2:80' ? 9 : 1), 0),
    )
    const counts = countPicks(picked)
    expect(counts.get('192.0.2.2:80')).to.equal(undefined)
    expect(counts.size).to.equal(3)
  })

  it('picks the least busy for half of all points: whenever it is one of the two of four', () => {
    const balancer = new RandomChoice({ endpoints })
    const picked = points(4000).map((point) =>
      balancer.pick(point, [], (address) => (address === '192.0.2.3:80' ? 0 : 1), 0),
    )
    expect(countPicks(picked).get('192.0.2.3:80')).to.be.within(1900, 2100)
  })

  it('weighs what is in flight by the weight', () => {
    const pair = [endpoint('192.0.2.1:80', { weight: 4 }), endpoint('192.0.2.2:80')]
    const balancer = new RandomChoice({ endpoints: pair })
    for (const point of points(20)) {
      const picked = balancer.pick(point, [], (address) => (address === '192.0.2.1:80' ? 3 : 1), 0)
      expect(picked?.host).to.equal('192.0.2.1')
    }
  })

  it('compares two different endpoints at every point', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (point) => {
        const asked = new Set<string>()
        const inFlight = (address: string): number => {
          asked.add(address)
          return 0
        }
        new RandomChoice({ endpoints }).pick(point, [], inFlight, 0)
        expect(asked.size).to.equal(2)
      }),
      { numRuns: 1000 },
    )
  })
})
