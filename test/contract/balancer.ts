// What every balancing policy must do; each implementation runs it.
import { expect } from 'chai'
import type { Endpoint } from '../../src/model/endpoint-table.ts'
import type { Balancer, BalancerInput, InFlight } from '../../src/router/balance/balancer.ts'
import { endpoint } from '../builders/route-table.ts'

const IDLE: InFlight = () => 0
const THREE = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'].map((address) => endpoint(address))

/** Points that lie evenly in [0, 1), in a scattered order. */
export function points(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => (index * 0.6180339887498949) % 1)
}

/** How often each address was picked. */
export function countPicks(picked: readonly (Endpoint | undefined)[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>()
  for (const one of picked) if (one) counts.set(one.address, (counts.get(one.address) ?? 0) + 1)
  return counts
}

function pickMany(balancer: Balancer, count: number): readonly (Endpoint | undefined)[] {
  return points(count).map((point) => balancer.pick(point, [], IDLE, 0))
}

export interface ContractOptions {
  /** How far from its share an endpoint may be, as a part of it. */
  readonly tolerance?: number
}

export function balancerContract(
  name: string,
  build: (input: BalancerInput) => Balancer,
  { tolerance = 0.1 }: ContractOptions = {},
): void {
  const of = (endpoints: readonly Endpoint[], next = 0): Balancer => build({ endpoints, cursor: { next } })

  describe(`${name}: the contract of balancers`, () => {
    it('picks nothing where there is no endpoint', () => {
      expect(of([]).pick(0.5, [], IDLE, 0)).to.equal(undefined)
    })

    it('picks nothing where every weight is 0 (R20-141)', () => {
      const drained = THREE.map((one) => ({ ...one, weight: 0 }))
      expect(of(drained).pick(0.5, [], IDLE, 0)).to.equal(undefined)
    })

    it('picks the only endpoint at every point', () => {
      const [only] = THREE
      for (const point of [0, 0.5, 1 - 2 ** -53]) expect(of(THREE.slice(0, 1)).pick(point, [], IDLE, 0)).to.equal(only)
    })

    it('picks endpoints of the set themselves, at the edges of [0, 1) too', () => {
      for (const point of [0, 0.3333333333333333, 0.5, 1 - 2 ** -53]) {
        expect(THREE).to.include(of(THREE).pick(point, [], IDLE, 0))
      }
    })

    it('spreads idle endpoints of one weight evenly', () => {
      const counts = countPicks(pickMany(of(THREE), 3000))
      for (const { address } of THREE) expect(counts.get(address)).to.be.closeTo(1000, 1000 * tolerance)
    })

    it('gives an endpoint of weight 0 no request (R20-141)', () => {
      const mixed = THREE.map((one, index) => ({ ...one, weight: index === 1 ? 0 : 2 }))
      const counts = countPicks(pickMany(of(mixed), 300))
      expect(counts.get('192.0.2.2:80')).to.equal(undefined)
      expect([...counts.values()].reduce((sum, count) => sum + count, 0)).to.equal(300)
    })

    it('picks what was not tried while something is left (R20-130)', () => {
      for (const point of points(50)) {
        const balancer = of(THREE)
        const tried: Endpoint[] = []
        for (let attempt = 0; attempt < THREE.length; attempt += 1) {
          const picked = balancer.pick(point, tried, IDLE, 0)
          if (picked) tried.push(picked)
        }
        expect(tried.map(({ address }) => address).toSorted()).to.deep.equal(THREE.map(({ address }) => address))
        expect(balancer.pick(point, tried, IDLE, 0)).to.equal(undefined)
      }
    })

    it('knows what was tried by its address', () => {
      const tried = [endpoint('192.0.2.1:80', { weight: 9 }), endpoint('192.0.2.3:80', { readiness: 'terminating' })]
      for (const point of points(20)) expect(of(THREE).pick(point, tried, IDLE, 0)?.address).to.equal('192.0.2.2:80')
    })

    it('goes on from any cursor', () => {
      for (const next of [1, 2, 3, 100, 4095]) expect(THREE).to.include(of(THREE, next).pick(0, [], IDLE, 0))
    })
  })
}
