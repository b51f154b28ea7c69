import { expect } from 'chai'
import type { Endpoint } from '../../../src/model/endpoint-table.ts'
import type { InFlight } from '../../../src/router/balance/balancer.ts'
import { RoundRobin } from '../../../src/router/balance/round-robin.ts'
import { type GrowthInput, growingOf, SlowStart } from '../../../src/router/balance/slow-start.ts'
import { endpoint } from '../../builders/route-table.ts'
import { balancerContract, countPicks } from '../../contract/balancer.ts'

const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const
const IDLE: InFlight = () => 0
const of = (...addresses: readonly string[]): readonly Endpoint[] => addresses.map((one) => endpoint(one))

function growing(input: Partial<GrowthInput>): readonly string[] {
  const base = { endpoints: [], before: [], growing: new Map(), slowStartMs: 30_000, nowMs: 0 }
  return [...growingOf({ ...base, ...input }).keys()]
}

/** C came at 0 beside A and B. */
function slowStart(cursor = { next: 0 }): SlowStart {
  const endpoints = of(A, B, C)
  const slowStartMs = 30_000
  const grown = growingOf({ endpoints, before: of(A, B), growing: new Map(), slowStartMs, nowMs: 0 })
  return new SlowStart(new RoundRobin({ endpoints, cursor }), grown, slowStartMs)
}

function shareOfC(nowMs: number): number {
  const balancer = slowStart()
  const counts = countPicks(Array.from({ length: 2100 }, () => balancer.pick(0, [], IDLE, nowMs)))
  expect(Math.abs((counts.get(A) ?? 0) - (counts.get(B) ?? 0))).to.be.lessThan(3)
  return (counts.get(C) ?? 0) / (counts.get(A) ?? 0)
}

balancerContract('slow start that is over', ({ endpoints, cursor }) => {
  const inner = new RoundRobin({ endpoints, cursor })
  return new SlowStart(
    inner,
    new Map(endpoints.map(({ address }) => [address, { sinceMs: -30_000, credit: 0 }])),
    30_000,
  )
})

describe('slow start', () => {
  for (const { nowMs, share } of [
    { nowMs: 0, share: 0.1 },
    { nowMs: 10_000, share: 0.4 },
    { nowMs: 15_000, share: 0.55 },
    { nowMs: 30_000, share: 1 },
    { nowMs: 90_000, share: 1 },
  ]) {
    it(`R20-143: after ${nowMs / 1000} s of 30 a new endpoint has ${share} of its weight`, () => {
      expect(shareOfC(nowMs)).to.be.closeTo(share, 0.01)
    })
  }

  it('spares nobody where all that are left grow', () => {
    const balancer = slowStart()
    for (let turn = 0; turn < 5; turn += 1) expect(balancer.pick(0, of(A, B), IDLE, 0)?.address).to.equal(C)
  })

  it('gives each request what it has not tried', () => {
    const balancer = slowStart()
    for (let turn = 0; turn < 20; turn += 1) expect(balancer.pick(0, of(A), IDLE, 0)?.address).to.not.equal(A)
  })
})

describe('the endpoints that grow', () => {
  it('are those that are new beside others', () => {
    expect(growing({ endpoints: of(A, B, C), before: of(A) })).to.deep.equal([B, C])
  })

  it('are none where every endpoint is new', () => {
    expect(growing({ endpoints: of(A, B) })).to.deep.equal([])
    expect(growing({ endpoints: of(A, B), before: of(C) })).to.deep.equal([])
  })

  it('go on growing when the set changes again, until their time is over', () => {
    const first = growingOf({
      endpoints: of(A, B),
      before: of(A),
      growing: new Map(),
      slowStartMs: 30_000,
      nowMs: 1000,
    })
    const next = { endpoints: of(A, B, C), before: of(A, B), growing: first }
    expect(growing({ ...next, nowMs: 30_999 })).to.deep.equal([B, C])
    expect(growing({ ...next, nowMs: 31_000 })).to.deep.equal([C])
    expect(growingOf({ ...next, slowStartMs: 30_000, nowMs: 2000 }).get(B)).to.equal(first.get(B))
  })

  it('begin anew when they leave and come back', () => {
    const left = growingOf({
      endpoints: of(A),
      before: of(A, B),
      growing: new Map([[B, { sinceMs: 0, credit: 0 }]]),
      slowStartMs: 30_000,
      nowMs: 5000,
    })
    const back = growingOf({
      endpoints: of(A, B),
      before: of(A),
      growing: left,
      slowStartMs: 30_000,
      nowMs: 9000,
    })
    expect(back.get(B)?.sinceMs).to.equal(9000)
  })
})
