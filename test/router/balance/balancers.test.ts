import { expect } from 'chai'
import type { EndpointTable } from '../../../src/model/endpoint-table.ts'
import type { BalancingPolicy, RouteTable } from '../../../src/model/route-table.ts'
import { type Balancers, buildBalancers } from '../../../src/router/balance/balancers.ts'
import { backend, endpoint, endpointTable, routeTable } from '../../builders/route-table.ts'
import { countPicks } from '../../contract/balancer.ts'

const web = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'].map((address) => endpoint(address))

function tableWith(policy: BalancingPolicy, ...names: readonly string[]): RouteTable {
  return routeTable([], { backends: new Map(names.map((name) => [name, backend(name, { policy })])) })
}

interface Given {
  readonly routes?: RouteTable
  readonly endpoints?: EndpointTable
  readonly workerIndex?: number
  readonly previous?: Balancers
  readonly loads?: Readonly<Record<string, number>>
}

function build({ loads = {}, ...given }: Given): Balancers {
  return buildBalancers({
    routes: tableWith('roundRobin', 'web'),
    endpoints: endpointTable({ web }),
    workerIndex: 0,
    inFlight: (address) => loads[address] ?? 0,
    ...given,
  })
}

const hostOf = (balancers: Balancers, name = 'web'): string | undefined => balancers.pick(name, 0, [])?.host

describe('the balancers of a pair', () => {
  it('pick nothing for a name they do not know, and for a backend without an entry', () => {
    expect(build({}).pick('other', 0, [])).to.equal(undefined)
    expect(build({ endpoints: endpointTable({}) }).pick('web', 0, [])).to.equal(undefined)
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
      Array.from({ length: shares[index] ?? 0 }, () => balancers.pick('web', 0, [])),
    )
    for (const count of countPicks(picked).values()) expect(count).to.be.within(90, 110)
  })

  it('spread a single request of each worker: a quiet route does not favour the first endpoint', () => {
    const picked = [0, 1, 2].map((workerIndex) => build({ workerIndex }).pick('web', 0, []))
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
    expect(build({ previous: build({}), routes: routeTable([]) }).pick('web', 0, [])).to.equal(undefined)
  })
})
