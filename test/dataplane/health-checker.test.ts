import { expect } from 'chai'
import type { CheckOutcome } from '../../src/dataplane/check-exchange.ts'
import type { CheckChange } from '../../src/dataplane/check-verdicts.ts'
import { HealthChecker } from '../../src/dataplane/health-checker.ts'
import type { Endpoint } from '../../src/model/endpoint-table.ts'
import type { Tables } from '../../src/model/generation.ts'
import type { HealthCheck } from '../../src/model/policy.ts'
import { backend, endpoint, endpointTable, routeTable } from '../builders/route-table.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

const [A, B, C] = ['192.0.2.1:80', '192.0.2.2:80', '192.0.2.3:80'] as const
const CHECK: HealthCheck = {
  path: '/',
  intervalMs: 1000,
  timeoutMs: 500,
  healthy: 1,
  unhealthy: 2,
  statuses: [[200, 299]],
}
const GOOD: CheckOutcome = { isGood: true, found: 'status 200' }
const BAD: CheckOutcome = { isGood: false, found: 'status 500' }

interface RunningCheck {
  readonly address: string
  readonly check: HealthCheck
  readonly atMs: number
  end(outcome: CheckOutcome): void
}

/** A checker with checks that a test ends. */
class Bench {
  readonly clock = new FakeClock(0)
  readonly log = new FakeLogger()
  readonly running: RunningCheck[] = []
  readonly begun: RunningCheck[] = []
  readonly changes: CheckChange[] = []
  readonly checker: HealthChecker
  /** How every check ends at once; `undefined`: as the test says. */
  answer: CheckOutcome | undefined

  constructor() {
    this.checker = new HealthChecker({
      clock: this.clock,
      timers: this.clock,
      random: () => 0,
      log: this.log,
      check: (at, check, done) => this.#begin(at, check, done),
      onChanges: (changes) => this.changes.push(...changes),
    })
  }

  /** Lets every running check end. */
  end(outcome: CheckOutcome): void {
    for (const one of this.running.slice()) one.end(outcome)
  }

  /** A round in which every endpoint is checked once. */
  round(outcome: CheckOutcome): void {
    this.answer = outcome
    this.clock.advance(1000)
    this.answer = undefined
  }

  #begin({ address }: Endpoint, check: HealthCheck, done: (outcome: CheckOutcome) => void): () => void {
    const remove = (): void => {
      const at = this.running.indexOf(one)
      if (at < 0) throw new Error('a check ended twice')
      this.running.splice(at, 1)
    }
    const one: RunningCheck = {
      address,
      check,
      atMs: this.clock.monotonicMs(),
      end: (outcome) => {
        remove()
        done(outcome)
      },
    }
    this.running.push(one)
    this.begun.push(one)
    const { answer } = this
    if (answer) this.clock.after(0, () => this.running.includes(one) && one.end(answer))
    return remove
  }
}

/** By name of a backend its addresses, all checked alike. */
function tables(backends: Readonly<Record<string, readonly string[]>>, check: HealthCheck | undefined = CHECK): Tables {
  const entries = Object.entries(backends)
  return {
    routes: routeTable([], {
      backends: new Map(entries.map(([name]) => [name, backend(name, check ? { healthCheck: check } : {})])),
    }),
    endpoints: endpointTable(
      Object.fromEntries(entries.map(([name, addresses]) => [name, addresses.map((one) => endpoint(one))])),
    ),
  }
}

describe('HealthChecker', () => {
  it('checks each endpoint once an interval, starts spread over it (R20-151)', () => {
    const bench = new Bench()
    bench.checker.follow(tables({ web: [A, B, C] }))
    bench.answer = GOOD
    bench.clock.advance(3000)
    const startsOf = (address: string): readonly number[] =>
      bench.begun.filter((one) => one.address === address).map(({ atMs }) => Math.round(atMs))
    const [first, second, third] = [A, B, C].map((address) => startsOf(address))
    expect([first?.[0], second?.[0], third?.[0]]).to.deep.equal([618, 236, 854])
    for (const starts of [first, second, third]) {
      expect(starts).to.have.length(3)
      expect(starts?.[2]).to.equal((starts?.[0] ?? 0) + 2000)
    }
  })

  it('never has two checks of an endpoint in flight (R20-151)', () => {
    const bench = new Bench()
    bench.checker.follow(tables({ web: [A] }))
    bench.clock.advance(10_000)
    expect(bench.begun).to.have.length(1)
    bench.end(GOOD)
    bench.clock.advance(0)
    expect(bench.begun).to.have.length(2)
  })

  it('tells when an endpoint fails and when it is well again, once each (R20-150)', () => {
    const bench = new Bench()
    bench.checker.follow(tables({ web: [A, B] }))
    expect(bench.checker.isHealthy('web', A)).to.equal(undefined)
    bench.round(BAD)
    expect(bench.changes).to.deep.equal([])
    expect(bench.checker.isHealthy('web', A)).to.equal(true)
    bench.round(BAD)
    bench.round(BAD)
    const failed = [A, B].map((address) => ({ backend: 'web', address, isFailed: true }))
    expect(bench.changes).to.have.deep.members(failed)
    expect(bench.checker.failed()).to.deep.equal(failed)
    expect(bench.checker.isHealthy('web', A)).to.equal(false)
    bench.changes.length = 0
    bench.round(GOOD)
    bench.round(GOOD)
    expect(bench.changes).to.have.deep.members(failed.map((one) => ({ ...one, isFailed: false })))
    expect(bench.checker.failed()).to.deep.equal([])
  })

  it('logs a change at info, with what was found', () => {
    const bench = new Bench()
    bench.checker.follow(tables({ web: [A] }))
    bench.round(BAD)
    bench.round(BAD)
    bench.round(GOOD)
    expect(bench.log.of('info').map(({ fields, message }) => ({ ...fields, message }))).to.deep.equal([
      { backend: 'web', endpoint: A, found: 'status 500', message: 'endpoint failed its health checks' },
      { backend: 'web', endpoint: A, found: 'status 200', message: 'endpoint passes its health checks again' },
    ])
  })

  it('has a verdict for each backend: one address may be checked in two ways', () => {
    const bench = new Bench()
    bench.checker.follow(tables({ web: [A], api: [A] }))
    for (let round = 0; round < 2; round += 1) {
      bench.clock.advance(1000)
      for (const one of bench.running.slice()) one.end(bench.begun.indexOf(one) % 2 === 0 ? BAD : GOOD)
    }
    expect(bench.checker.failed()).to.have.length(1)
  })

  it('checks nothing of a backend that does not ask for it', () => {
    const bench = new Bench()
    bench.checker.follow({
      ...tables({ web: [A] }),
      routes: routeTable([], { backends: new Map([['web', backend('web')]]) }),
    })
    bench.clock.advance(10_000)
    expect(bench.begun).to.deep.equal([])
    expect(bench.clock.pending()).to.deep.equal([])
    expect(bench.checker.isHealthy('web', A)).to.equal(undefined)
  })

  describe('after a publish', () => {
    it('keeps the verdict of an endpoint that stays, and its turn', () => {
      const bench = new Bench()
      bench.checker.follow(tables({ web: [A] }))
      bench.round(BAD)
      bench.round(BAD)
      bench.checker.follow(tables({ web: [A, B] }))
      expect(bench.checker.isHealthy('web', A)).to.equal(false)
      expect(bench.checker.isHealthy('web', B)).to.equal(undefined)
      expect(bench.changes).to.have.length(1)
      expect(bench.clock.pending().map(Math.round)).to.deep.equal([236, 618])
    })

    it('never checks an endpoint or a backend again that left, in flight or not (R20-151, R20-154)', () => {
      const bench = new Bench()
      bench.checker.follow(tables({ web: [A, B], api: [C] }))
      bench.clock.advance(1000)
      expect(bench.running).to.have.length(3)
      bench.checker.follow(tables({ web: [A] }))
      expect(bench.running.map(({ address }) => address)).to.deep.equal([A])
      const count = bench.begun.length
      bench.checker.follow(tables({}))
      bench.clock.advance(10_000)
      expect(bench.begun).to.have.length(count)
      expect(bench.running).to.deep.equal([])
      expect(bench.clock.pending()).to.deep.equal([])
      expect(bench.checker.size).to.equal(0)
    })

    it('takes back the verdict of a failed endpoint that left, or whose backend asks for no check any more', () => {
      const bench = new Bench()
      bench.checker.follow(tables({ web: [A, B] }))
      bench.round(BAD)
      bench.round(BAD)
      bench.changes.length = 0
      bench.checker.follow(tables({ web: [A] }))
      expect(bench.changes).to.deep.equal([{ backend: 'web', address: B, isFailed: false }])
      bench.checker.follow({ ...tables({ web: [A] }), routes: routeTable([]) })
      expect(bench.changes[1]).to.deep.equal({ backend: 'web', address: A, isFailed: false })
    })

    it('begins anew with an endpoint that comes back', () => {
      const bench = new Bench()
      bench.checker.follow(tables({ web: [A] }))
      bench.round(BAD)
      bench.round(BAD)
      bench.checker.follow(tables({ web: [] }))
      bench.checker.follow(tables({ web: [A] }))
      expect(bench.checker.isHealthy('web', A)).to.equal(undefined)
      expect(bench.checker.failed()).to.deep.equal([])
    })

    it('checks in the new way from the next check on, and soon where that comes more often', () => {
      const bench = new Bench()
      bench.checker.follow(tables({ web: [A] }, { ...CHECK, intervalMs: 3_600_000 }))
      bench.checker.follow(tables({ web: [A] }, { ...CHECK, path: '/new' }))
      bench.answer = GOOD
      bench.clock.advance(2000)
      expect(bench.begun.map(({ check }) => check.path)).to.deep.equal(['/new', '/new'])
    })

    it('leaves timers as many as there are endpoints, over 1,000 publishes', () => {
      const bench = new Bench()
      bench.answer = GOOD
      for (let publish = 0; publish < 1000; publish += 1) {
        const many = [A, B, C].slice(0, 1 + (publish % 3))
        bench.checker.follow(tables(publish % 7 === 0 ? { web: many } : { web: many, api: many }))
        bench.clock.advance(100)
      }
      bench.checker.follow(tables({ web: [A, B] }))
      expect(bench.clock.pending()).to.have.length(2)
      expect(bench.checker.size).to.equal(2)
      bench.checker.stop()
      expect(bench.clock.pending()).to.deep.equal([])
      bench.checker.follow(tables({ web: [A, B] }))
      expect(bench.clock.pending()).to.deep.equal([])
    })
  })

  it('runs 128 checks at once at most; the others wait for one to end', () => {
    const bench = new Bench()
    const addresses = Array.from({ length: 200 }, (_none, index) => `192.0.2.${index % 250}:${1000 + index}`)
    bench.checker.follow(tables({ web: addresses }))
    bench.clock.advance(1000)
    expect(bench.running).to.have.length(128)
    bench.running[0]?.end(GOOD)
    expect(bench.running).to.have.length(128)
    expect(bench.begun).to.have.length(129)
    bench.checker.follow(tables({ web: addresses.slice(100) }))
    expect(new Set(bench.running.map(({ address }) => address)).size).to.equal(bench.running.length)
    expect(bench.running.length).to.be.within(99, 100)
    bench.checker.stop()
    expect(bench.running).to.deep.equal([])
    expect(bench.clock.pending()).to.deep.equal([])
  })
})
