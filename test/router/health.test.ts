import { expect } from 'chai'
import type { Endpoint } from '../../src/model/endpoint-table.ts'
import type { BalancingPolicy } from '../../src/model/route-table.ts'
import { type Balancers, buildBalancers } from '../../src/router/balance/balancers.ts'
import { EndpointHealth, type FailedChecks, pickEndpoint } from '../../src/router/health.ts'
import { backend, endpoint, endpointTable, routeTable } from '../builders/route-table.ts'

const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const

function balancersOf(policy: BalancingPolicy, addresses: readonly string[]): Balancers {
  return buildBalancers({
    routes: routeTable([], { backends: new Map([['web', backend('web', { policy })]]) }),
    endpoints: endpointTable({ web: addresses.map((address) => endpoint(address)) }),
    workerIndex: 0,
    nowMs: 0,
    inFlight: () => 0,
  })
}

/** Skips for 10 s what took no connection, and what failed a check of these: `backend address`. */
function healthWith(...failed: readonly string[]): EndpointHealth {
  const checks: FailedChecks = { has: (name, address) => failed.includes(`${name} ${address}`) }
  return new EndpointHealth(10_000, checks)
}

function turns(
  count: number,
  balancers: Balancers,
  health: EndpointHealth,
  tried: readonly Endpoint[] = [],
): readonly (string | undefined)[] {
  return Array.from({ length: count }, (_none, index) => {
    const point = (index % 10) / 10
    return pickEndpoint(balancers, health, { backend: 'web', point, tried, nowMs: 0 })?.address
  })
}

describe('EndpointHealth', () => {
  it('R20-149: skips what failed for the time that was set, and no longer', () => {
    const health = healthWith()
    health.failed(A, 1000)
    expect(health.isSkipped('web', A, 1000)).to.equal(true)
    expect(health.isSkipped('web', A, 10_999)).to.equal(true)
    expect(health.isSkipped('web', A, 11_000)).to.equal(false)
    expect(health.isSkipped('web', B, 1000)).to.equal(false)
  })

  it('counts from the last failure', () => {
    const health = healthWith()
    health.failed(A, 0)
    health.failed(A, 9000)
    expect(health.isSkipped('web', A, 18_999)).to.equal(true)
  })

  it('R20-149: is cleared by one success', () => {
    const health = healthWith()
    health.failed(A, 0)
    health.failed(B, 0)
    health.succeeded(A)
    expect([A, B].map((address) => health.isSkipped('web', address, 1))).to.deep.equal([false, true])
  })

  it('R20-151: skips what failed its checks, as part of that backend alone', () => {
    const health = healthWith(`web ${A}`)
    expect(health.isSkipped('web', A, 0)).to.equal(true)
    expect(health.isSkipped('web', B, 0)).to.equal(false)
    expect(health.isSkipped('api', A, 0)).to.equal(false)
    health.succeeded(A)
    expect(health.isSkipped('web', A, 0)).to.equal(true)
  })

  it('forgets endpoints that are gone', () => {
    const health = healthWith()
    health.failed(A, 0)
    health.failed(B, 0)
    health.retain(new Set([B]))
    expect([A, B].map((address) => health.isSkipped('web', address, 1))).to.deep.equal([false, true])
  })
})

describe('pickEndpoint', () => {
  const hash: BalancingPolicy = { kind: 'hash', key: [{ kind: 'uri' }] }
  for (const policy of ['roundRobin', 'leastConn', 'random', 'ewma', hash] as const) {
    const name = typeof policy === 'string' ? policy : policy.kind

    it(`${name}: leaves a skipped endpoint alone while others are left`, () => {
      const health = healthWith()
      health.failed(B, 0)
      const picked = new Set(turns(30, balancersOf(policy, [A, B, C]), health))
      expect([...picked]).to.have.members([A, C])
    })

    it(`${name}: R20-152: uses all where all are skipped`, () => {
      const health = healthWith()
      for (const address of [A, B]) health.failed(address, 0)
      const picked = new Set(turns(30, balancersOf(policy, [A, B]), health))
      expect([...picked]).to.have.members([A, B])
    })

    it(`${name}: R20-130: prefers a skipped endpoint to one that was tried`, () => {
      const health = healthWith()
      health.failed(B, 0)
      expect(turns(1, balancersOf(policy, [A, B]), health, [endpoint(A)])).to.deep.equal([B])
      expect(turns(1, balancersOf(policy, [A, B]), health, [endpoint(A), endpoint(B)])).to.deep.equal([undefined])
    })
  }

  it('roundRobin: shares the turns of a skipped endpoint among the others', () => {
    const health = healthWith()
    health.failed(B, 0)
    const picked = turns(40, balancersOf('roundRobin', [A, B, C]), health)
    expect(picked.filter((address) => address === A)).to.have.length(20)
  })

  it('R20-152: uses an endpoint that failed its checks where the others take no connection', () => {
    const health = healthWith(`web ${A}`)
    health.failed(B, 0)
    const picked = new Set(turns(30, balancersOf('roundRobin', [A, B]), health))
    expect([...picked]).to.have.members([A, B])
    expect(turns(3, balancersOf('roundRobin', [A, B, C]), health)).to.deep.equal([C, C, C])
  })
})
