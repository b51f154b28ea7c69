import { expect } from 'chai'
import type { EndpointTable } from '../../../src/model/endpoint-table.ts'
import type { BalancingPolicy, RouteTable } from '../../../src/model/route-table.ts'
import { type Balancers, buildBalancers } from '../../../src/router/balance/balancers.ts'
import { backend, endpoint, endpointTable, routeTable } from '../../builders/route-table.ts'
import { countPicks, points } from '../../contract/balancer.ts'

const web = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'].map((address) => endpoint(address))

function tableWith(policy: BalancingPolicy, ...names: readonly string[]): RouteTable {
  return routeTable([], { backends: new Map(names.map((name) => [name, backend(name, { policy })])) })
}

interface Given {
  readonly routes?: RouteTable
  readonly endpoints?: EndpointTable
  readonly workerIndex?: number
  readonly nowMs?: number
  readonly previous?: Balancers
  readonly loads?: Readonly<Record<string, number>>
}

function build({ loads = {}, ...given }: Given): Balancers {
  return buildBalancers({
    routes: tableWith('roundRobin', 'web'),
    endpoints: endpointTable({ web }),
    workerIndex: 0,
    nowMs: 0,
    inFlight: (address) => loads[address] ?? 0,
    ...given,
  })
}

const hostOf = (balancers: Balancers, name = 'web'): string | undefined => balancers.pick(name, 0, [], 0)?.host

/** The addresses picked over many points. */
function addressesOf(balancers: Balancers): ReadonlySet<string | undefined> {
  return new Set(points(60).map((point) => balancers.pick('web', point, [], 0)?.address))
}

describe('the balancers of a pair', () => {
  it('pick nothing for a name they do not know, and for a backend without an entry', () => {
    expect(build({}).pick('other', 0, [], 0)).to.equal(undefined)
    expect(build({ endpoints: endpointTable({}) }).pick('web', 0, [], 0)).to.equal(undefined)
  })

  for (const [policy, want] of [
    ['roundRobin', '192.0.2.1'],
    ['leastConn', '192.0.2.3'],
    ['random', '192.0.2.2'],
  ] as const) {
    it(`follow the policy ${policy}`, () => {
      const loads = { '192.0.2.1:80': 3, '192.0.2.2:80': 2, '192.0.2.3:80': 1 }
      expect(hostOf(build({ routes: tableWith(policy, 'web'), loads }))).to.equal(want)
    })
  }

  it('start a worker at its own offset (R00-17)', () => {
    const first = [0, 1, 2, 3].map((workerIndex) => hostOf(build({ workerIndex })))
    expect(first).to.deep.equal(['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.1'])
  })

  it('spread 300 connections of 4 workers over 3 endpoints within 10 % (R20-140)', () => {
    const workers = [0, 1, 2, 3].map((workerIndex) => build({ workerIndex }))
    // The kernel gives workers unequal numbers of connections.
    const shares = [121, 83, 60, 36]
    const picked = workers.flatMap((balancers, index) =>
      Array.from({ length: shares[index] ?? 0 }, () => balancers.pick('web', 0, [], 0)),
    )
    for (const count of countPicks(picked).values()) expect(count).to.be.within(90, 110)
  })

  it('spread a single request of each worker: a quiet route does not favour the first endpoint', () => {
    const picked = [0, 1, 2].map((workerIndex) => build({ workerIndex }).pick('web', 0, [], 0))
    expect(countPicks(picked).size).to.equal(3)
  })
})

describe('balancers built after others', () => {
  it('go on where the backend of that name stood', () => {
    const before = build({})
    hostOf(before)
    const sameSet = build({ previous: before })
    expect(hostOf(sameSet)).to.equal('192.0.2.2')
    const changedSet = build({
      previous: sameSet,
      endpoints: endpointTable({ web: [...web, endpoint('192.0.2.4:80')] }),
    })
    expect(hostOf(changedSet)).to.equal('192.0.2.3')
    expect(hostOf(changedSet)).to.equal('192.0.2.4')
  })

  it('go on while the former ones still serve', () => {
    const before = build({})
    const after = build({ previous: before, endpoints: endpointTable({ web: [...web] }) })
    expect([hostOf(before), hostOf(after), hostOf(before)]).to.deep.equal(['192.0.2.1', '192.0.2.2', '192.0.2.3'])
  })

  it('wrap a cursor that a smaller set has no place for', () => {
    const before = build({})
    for (let pick = 0; pick < 2; pick += 1) hostOf(before)
    const after = build({ previous: before, endpoints: endpointTable({ web: web.slice(0, 2) }) })
    expect(hostOf(after)).to.equal('192.0.2.1')
  })

  it('keep the cursor when the policy changes, and follow the new one', () => {
    const endpoints = endpointTable({ web })
    const before = build({ endpoints })
    hostOf(before)
    const loads = { '192.0.2.2:80': 1, '192.0.2.3:80': 1 }
    const after = build({ endpoints, previous: before, routes: tableWith('leastConn', 'web'), loads })
    expect(hostOf(after)).to.equal('192.0.2.1')
    const back = build({ endpoints, previous: after, loads })
    expect(hostOf(back)).to.equal('192.0.2.3')
  })

  it('read what is in flight as the newest pair counts it', () => {
    const endpoints = endpointTable({ web })
    const routes = tableWith('leastConn', 'web')
    const before = build({ routes, endpoints, loads: { '192.0.2.1:80': 9 } })
    const after = build({ routes, endpoints, previous: before, loads: { '192.0.2.2:80': 9, '192.0.2.3:80': 9 } })
    expect(hostOf(after)).to.equal('192.0.2.1')
    expect(hostOf(before)).to.equal('192.0.2.2')
  })

  it('begin anew for a backend that was gone in between', () => {
    const before = build({})
    hostOf(before)
    const without = build({ previous: before, routes: tableWith('roundRobin', 'other') })
    expect(hostOf(build({ previous: without }))).to.equal('192.0.2.1')
  })

  it('do not serve a backend that the new table lacks', () => {
    expect(build({ previous: build({}), routes: routeTable([]) }).pick('web', 0, [], 0)).to.equal(undefined)
  })
})

describe('balancers by latency', () => {
  const routes = tableWith('ewma', 'web')
  const [slow, ...quick] = web

  it('give what they measure, by backend; the others measure nothing', () => {
    expect(build({}).latenciesOf('web')).to.equal(undefined)
    expect(build({ routes }).latenciesOf('other')).to.equal(undefined)
    const balancers = build({ routes })
    for (const { address } of web)
      balancers.latenciesOf('web')?.answered(address, address === slow?.address ? 90 : 9, 0)
    expect(addressesOf(balancers)).to.have.keys(quick.map(({ address }) => address))
  })

  it('hand on what was measured to those that follow, and share it while both serve (R00-17)', () => {
    const before = build({ routes })
    const after = build({ routes, previous: before, endpoints: endpointTable({ web: [...web] }) })
    for (const { address } of web) before.latenciesOf('web')?.answered(address, address === slow?.address ? 90 : 9, 0)
    expect(addressesOf(after)).to.have.keys(quick.map(({ address }) => address))
  })

  it('measure through a slow start as well', () => {
    const slowly = backend('web', { policy: 'ewma', slowStartMs: 30_000 })
    const table = routeTable([], { backends: new Map([['web', slowly]]) })
    const before = build({ routes: table, endpoints: endpointTable({ web: web.slice(0, 2) }) })
    const after = build({ routes: table, previous: before })
    expect(after.latenciesOf('web')).to.not.equal(undefined)
  })
})

describe('balancers of a backend that starts slowly', () => {
  const slowly = backend('web', { slowStartMs: 30_000 })
  const routes = routeTable([], { backends: new Map([['web', slowly]]) })
  const [old, late] = web
  const two = endpointTable({ web: [old, late].flatMap((one) => one ?? []) })

  function lateShare(balancers: Balancers, nowMs: number): number {
    const picks = Array.from({ length: 200 }, () => balancers.pick('web', 0, [], nowMs))
    return (countPicks(picks).get(late?.address ?? '') ?? 0) / 200
  }

  it('let an endpoint grow from when it came (R20-143)', () => {
    const before = build({ routes, endpoints: endpointTable({ web: old ? [old] : [] }) })
    const after = build({ routes, endpoints: two, previous: before, nowMs: 1_000 })
    expect(lateShare(after, 1_000)).to.be.closeTo(0.09, 0.02)
    const again = build({ routes, endpoints: endpointTable({ web }), previous: after, nowMs: 16_000 })
    expect(lateShare(again, 31_000)).to.be.greaterThan(0.3)
  })

  it('do nothing of the kind for the first endpoints of a backend', () => {
    const before = build({ routes, endpoints: endpointTable({ web: [] }) })
    expect(lateShare(build({ routes, endpoints: two, previous: before }), 0)).to.equal(0.5)
    expect(lateShare(build({ routes, endpoints: two }), 0)).to.equal(0.5)
  })
})

describe('balancers by hash', () => {
  const policy = { kind: 'hash', key: [{ kind: 'uri' }] } as const

  it('say what a point is made of, and no other policy does', () => {
    expect(build({ routes: tableWith(policy, 'web') }).keyOf('web')).to.equal(policy.key)
    expect(build({}).keyOf('web')).to.equal(undefined)
    expect(build({}).keyOf('other')).to.equal(undefined)
  })

  it('choose alike in every worker', () => {
    const workers = [0, 1, 2].map((workerIndex) => build({ routes: tableWith(policy, 'web'), workerIndex }))
    for (const point of points(50)) {
      expect(new Set(workers.map((one) => one.pick('web', point, [], 0)?.address)).size).to.equal(1)
    }
  })

  it('know no slow start: a key that goes elsewhere for a while is worse', () => {
    const slowly = backend('web', { policy, slowStartMs: 30_000 })
    const routes = routeTable([], { backends: new Map([['web', slowly]]) })
    const before = build({ routes, endpoints: endpointTable({ web: web.slice(0, 2) }) })
    const [after, whole] = [build({ routes, previous: before }), build({ routes })]
    for (const point of points(100)) {
      expect(after.pick('web', point, [], 0)?.address).to.equal(whole.pick('web', point, [], 0)?.address)
    }
  })
})
