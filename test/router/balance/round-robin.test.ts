import { expect } from 'chai'
import * as fc from 'fast-check'
import { smoothRotation } from '../../../src/router/balance/rotation.ts'
import { RoundRobin } from '../../../src/router/balance/round-robin.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract, countPicks } from '../../contract/balancer.ts'

const named = (weights: readonly number[]): ReturnType<typeof endpoint>[] =>
  weights.map((weight, index) => endpoint(`192.0.2.${index + 1}:80`, { weight }))
const letters = (weights: readonly number[]): string =>
  smoothRotation(named(weights))
    .map(({ host }) => String.fromCharCode(96 + Number(host.split('.')[3])))
    .join('')

balancerContract('round robin', (input) => new RoundRobin(input))

describe('round robin', () => {
  it('takes endpoints of one weight in turn and begins at its cursor', () => {
    const balancer = new RoundRobin({ endpoints: named([2, 2, 2]), cursor: { next: 1 } })
    const picked = Array.from({ length: 5 }, () => balancer.pick(0, []))
    expect(picked.map((one) => one?.host)).to.deep.equal([
      '192.0.2.2',
      '192.0.2.3',
      '192.0.2.1',
      '192.0.2.2',
      '192.0.2.3',
    ])
  })

  it('gives each endpoint its share in every round', () => {
    const balancer = new RoundRobin({ endpoints: named([5, 1, 2]), cursor: { next: 3 } })
    const counts = countPicks(Array.from({ length: 80 }, () => balancer.pick(0, [])))
    expect([...counts.values()].toSorted((a, b) => b - a)).to.deep.equal([50, 20, 10])
  })

  it('keeps its cursor small', () => {
    const cursor = { next: 0 }
    const balancer = new RoundRobin({ endpoints: named([1, 1, 1]), cursor })
    for (let pick = 0; pick < 1000; pick += 1) {
      balancer.pick(0, [])
      expect(cursor.next).to.be.within(1, 3)
    }
  })
})

describe('a smooth rotation', () => {
  for (const { weights, want } of [
    { weights: [1, 1, 1], want: 'abc' },
    { weights: [7, 7], want: 'ab' },
    { weights: [2, 1], want: 'aab' },
    { weights: [4, 2], want: 'aab' },
    { weights: [3, 1, 1, 1], want: 'acabad' },
    { weights: [5, 1, 1], want: 'aacaaba' },
    { weights: [10, 10, 20], want: 'acbc' },
  ]) {
    it(`of weights ${weights.join(', ')} is ${want}`, () => {
      expect(letters(weights)).to.equal(want)
    })
  }

  it('is the endpoints themselves where weights are even', () => {
    const endpoints = named([3, 3])
    expect(smoothRotation(endpoints)).to.equal(endpoints)
  })

  it('leaves no endpoint without a turn, however small its weight, and is bounded (R20-141)', () => {
    const rotation = smoothRotation(named([1_000_000, 999_999, 1]))
    expect(rotation.length).to.be.within(4000, 4200)
    expect(countPicks(rotation).get('192.0.2.3:80')).to.equal(1)
  })

  it('spaces the turns of an endpoint evenly: no burst (R20-140)', () => {
    const weights = fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 2, maxLength: 6 })
    fc.assert(
      fc.property(weights, (list) => {
        const rotation = smoothRotation(named(list))
        const total = list.reduce((sum, weight) => sum + weight, 0)
        for (const [index, weight] of list.entries()) {
          const ideal = total / weight
          const places = [...rotation.keys()].filter((at) => rotation[at]?.host === `192.0.2.${index + 1}`)
          const gaps = places.map((at, turn) => (places[turn + 1] ?? (places[0] ?? 0) + rotation.length) - at)
          // Between two turns each of the others has its share of turns, give or take one.
          for (const gap of gaps) expect(Math.abs(gap - ideal)).to.be.below(list.length)
        }
      }),
    )
  })
})
