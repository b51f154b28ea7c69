import { expect } from 'chai'
import type { Endpoint } from '../../src/model/endpoint-table.ts'
import type { BalancingPolicy } from '../../src/model/route-table.ts'
import { type Balancers, buildBalancers } from '../../src/router/balance/balancers.ts'
import { PassiveHealth, pickEndpoint } from '../../src/router/health.ts'
import { backend, endpoint, endpointTable, routeTable } from '../builders/route-table.ts'

const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const

function balancersOf(policy: BalancingPolicy, addresses: readonly string[]): Balancers {
  return buildBalancers({
    routes: routeTable([], { backends: new Map([['web', backend('web', { policy })]]) }),
    endpoints: endpointTable({ web: addresses.map((address) => endpoint(address)) }),
    workerIndex: 0,
    inFlight: () => 0,
  })
}

function turns(
  count: number,
  balancers: Balancers,
  health: PassiveHealth,
  tried: readonly Endpoint[] = [],
): readonly (string | undefined)[] {
  return Array.from({ length: count }, (_none, index) => {
    const point = (index % 10) / 10
    return pickEndpoint(balancers, health, { backend: 'web', point, tried, nowMs: 0 })?.address
  })
}

describe('PassiveHealth', () => {
  it('R20-149: skips what failed for the time that was set, and no longer', () => {
    const health = new PassiveHealth(10_000)
    health.failed(A, 1000)
    expect(health.isSkipped(A, 1000)).to.equal(true)
    expect(health.isSkipped(A, 10_999)).to.equal(true)
    expect(health.isSkipped(A, 11_000)).to.equal(false)
    expect(health.isSkipped(B, 1000)).to.equal(false)
  })

  it('counts from the last failure', () => {
    const health = new PassiveHealth(10_000)
    health.failed(A, 0)
    health.failed(A, 9000)
    expect(health.isSkipped(A, 18_999)).to.equal(true)
  })

  it('R20-149: is cleared by one success', () => {
    const health = new PassiveHealth(10_000)
    health.failed(A, 0)
    health.failed(B, 0)
    health.succeeded(A)
    expect([A, B].map((address) => health.isSkipped(address, 1))).to.deep.equal([false, true])
  })

  it('forgets endpoints that are gone', () => {
    const health = new PassiveHealth(10_000)
    health.failed(A, 0)
    health.failed(B, 0)
    health.retain(new Set([B]))
    expect([A, B].map((address) => health.isSkipped(address, 1))).to.deep.equal([false, true])
  })
})

describe('pickEndpoint', () => {
  for (const policy of ['roundRobin', 'leastConn', 'random'] as const) {
    it(`${policy}: leaves a skipped endpoint alone while others are left`, () => {
      const health = new PassiveHealth(10_000)
      health.failed(B, 0)
      const picked = new Set(turns(30, balancersOf(policy, [A, B, C]), health))
      expect([...picked]).to.have.members([A, C])
    })

    it(`${policy}: R20-152: uses all where all are skipped`, () => {
      const health = new PassiveHealth(10_000)
      for (const address of [A, B]) health.failed(address, 0)
      const picked = new Set(turns(30, balancersOf(policy, [A, B]), health))
      expect([...picked]).to.have.members([A, B])
    })

    it(`${policy}: R20-130: prefers a skipped endpoint to one that was tried`, () => {
      const health = new PassiveHealth(10_000)
      health.failed(B, 0)
      expect(turns(1, balancersOf(policy, [A, B]), health, [endpoint(A)])).to.deep.equal([B])
      expect(turns(1, balancersOf(policy, [A, B]), health, [endpoint(A), endpoint(B)])).to.deep.equal([undefined])
    })
  }

  it('roundRobin: shares the turns of a skipped endpoint among the others', () => {
    const health = new PassiveHealth(10_000)
    health.failed(B, 0)
    const picked = turns(40, balancersOf('roundRobin', [A, B, C]), health)
    expect(picked.filter((address) => address === A)).to.have.length(20)
  })
})
