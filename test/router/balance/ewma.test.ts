import { expect } from 'chai'
import type { Endpoint } from '../../../src/model/endpoint-table.ts'
import type { InFlight } from '../../../src/router/balance/balancer.ts'
import { Ewma } from '../../../src/router/balance/ewma.ts'
import { Latencies } from '../../../src/router/balance/latencies.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract, countPicks, points } from '../../contract/balancer.ts'

const IDLE: InFlight = () => 0
const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const
const THREE = [A, B, C].map((address) => endpoint(address))

function ewmaOf(endpoints: readonly Endpoint[] = THREE): Ewma {
  return new Ewma(endpoints, new Latencies(endpoints, undefined, 0))
}

balancerContract('ewma', ({ endpoints }) => ewmaOf(endpoints))

function shares(balancer: Ewma, inFlight: InFlight = IDLE, nowMs = 0): ReadonlyMap<string, number> {
  return countPicks(points(3000).map((point) => balancer.pick(point, [], inFlight, nowMs)))
}

describe('ewma', () => {
  it('never picks the slowest: one of two choices is quicker (R20-134)', () => {
    const balancer = ewmaOf()
    for (const { address } of THREE) balancer.latencies.answered(address, address === B ? 200 : 20, 0)
    expect(shares(balancer).get(B)).to.equal(undefined)
  })

  it('takes the slowest again when its time has faded', () => {
    const balancer = ewmaOf()
    for (const { address } of THREE) balancer.latencies.answered(address, address === B ? 200 : 20, 0)
    for (const address of [A, C]) balancer.latencies.answered(address, 20, 60_000)
    expect(shares(balancer, IDLE, 60_000).get(B)).to.be.greaterThan(1000)
  })

  it('leaves an endpoint that was quick and hangs now', () => {
    const balancer = ewmaOf()
    for (const { address } of THREE) balancer.latencies.answered(address, address === A ? 5 : 20, 0)
    expect(shares(balancer).get(A)).to.be.greaterThan(1900)
    expect(shares(balancer, (address) => (address === A ? 10 : 0)).get(A)).to.equal(undefined)
  })

  it('gives a larger endpoint more requests at the same latency', () => {
    const pair = [endpoint(A, { weight: 3 }), endpoint(B)]
    const balancer = ewmaOf(pair)
    for (const { address } of pair) balancer.latencies.answered(address, 20, 0)
    const load = new Map<string, number>([
      [A, 0],
      [B, 0],
    ])
    for (const point of points(400)) {
      const address = balancer.pick(point, [], (one) => load.get(one) ?? 0, 0)?.address ?? ''
      load.set(address, (load.get(address) ?? 0) + 1)
    }
    expect(load.get(A)).to.be.within(298, 302)
  })
})
