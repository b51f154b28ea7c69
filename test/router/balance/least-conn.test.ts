import { expect } from 'chai'
import { LeastConn } from '../../../src/router/balance/least-conn.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract } from '../../contract/balancer.ts'

const endpoints = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'].map((address) => endpoint(address))

balancerContract('least connections', (input) => new LeastConn(input))

function picksWith(loads: readonly number[], weights: readonly number[] = [1, 1, 1]): string | undefined {
  const weighted = endpoints.map((one, index) => ({ ...one, weight: weights[index] ?? 1 }))
  const load = new Map(endpoints.map(({ address }, index) => [address, loads[index] ?? 0]))
  const balancer = new LeastConn({ endpoints: weighted, cursor: { next: 0 } })
  return balancer.pick(0, [], (address) => load.get(address) ?? 0)?.host
}

describe('least connections', () => {
  for (const { loads, weights, want } of [
    { loads: [3, 1, 2], want: '192.0.2.2' },
    { loads: [0, 0, 0], want: '192.0.2.1' },
    { loads: [5, 5, 4], want: '192.0.2.3' },
    { loads: [4, 3, 9], weights: [4, 1, 1], want: '192.0.2.1' },
    { loads: [8, 1, 9], weights: [4, 1, 9], want: '192.0.2.2' },
    { loads: [1, 9, 9], weights: [0, 1, 2], want: '192.0.2.3' },
  ]) {
    it(`picks ${want} for ${loads.join(', ')} in flight at weights ${(weights ?? [1, 1, 1]).join(', ')}`, () => {
      expect(picksWith(loads, weights)).to.equal(want)
    })
  }

  it('lets ties take turns', () => {
    const balancer = new LeastConn({ endpoints, cursor: { next: 1 } })
    const picked = Array.from({ length: 4 }, () => balancer.pick(0, [], () => 7)?.host)
    expect(picked).to.deep.equal(['192.0.2.2', '192.0.2.3', '192.0.2.1', '192.0.2.2'])
  })

  it('evens out as requests come and stay', () => {
    const load = new Map<string, number>([['192.0.2.1:80', 6]])
    const balancer = new LeastConn({ endpoints, cursor: { next: 0 } })
    for (let request = 0; request < 12; request += 1) {
      const address = balancer.pick(0, [], (one) => load.get(one) ?? 0)?.address ?? ''
      load.set(address, (load.get(address) ?? 0) + 1)
    }
    expect([...load.values()]).to.deep.equal([6, 6, 6])
  })
})
