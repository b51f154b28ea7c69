// Several electors over a network that delays and loses, on clocks that are set and run differently, in processes that
// stand still for a while: at no instant may two of them believe that they may write (R70-111).
import { expect } from 'chai'
import {
  type Arbitrary,
  array,
  assert,
  asyncProperty,
  boolean,
  constant,
  constantFrom,
  double,
  integer,
  nat,
  oneof,
  option,
  record,
} from 'fast-check'
import type { Clock } from '../../src/lib/clock.ts'
import type { Cancel, Timers } from '../../src/lib/timers.ts'
import { LeaderElection } from '../../src/runtime/leader-election.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { LeaseLink, LeaseServer, type Passage } from '../fakes/lease-server.ts'
import { FakeLogger } from '../fakes/logger.ts'

const [DURATION_MS, RENEW_MS, RETRY_MS] = [15_000, 10_000, 2000]
const LASTS_MS = 150_000

/** A process with clocks of its own, which can be stopped as by SIGSTOP: then nothing of it runs until it goes on. */
class FakeProcess implements Clock, Timers {
  readonly #base: FakeClock
  readonly #rate: number
  readonly #wallOffsetMs: number
  #held: (() => void)[] | undefined

  constructor(base: FakeClock, rate: number, wallOffsetMs: number) {
    this.#base = base
    this.#rate = rate
    this.#wallOffsetMs = wallOffsetMs
  }

  get isStopped(): boolean {
    return this.#held !== undefined
  }

  monotonicMs(): number {
    return this.#base.monotonicMs() * this.#rate
  }

  wallMs(): number {
    return Math.max(0, this.#base.wallMs() + this.#wallOffsetMs)
  }

  after(ms: number, run: () => void): Cancel {
    let isCancelled = false
    const wake = (): void => {
      if (isCancelled) return
      if (this.#held) this.#held.push(wake)
      else run()
    }
    const cancel = this.#base.after(ms / this.#rate, wake)
    return () => {
      isCancelled = true
      cancel()
    }
  }

  stop(): void {
    this.#held ??= []
  }

  /** What came meanwhile comes now, first what came last: answers before the timers that should have run long ago. */
  goOn(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const run of held.toReversed()) run()
  }
}

const passages = record({
  requestMs: integer({ min: 0, max: 6000 }),
  answerMs: integer({ min: 0, max: 6000 }),
  loses: option(constantFrom('request' as const, 'answer' as const), { nil: undefined, freq: 4 }),
})

const processes = record({
  // A monotonic clock may be off by a few per cent; a wall clock by years.
  rate: double({ min: 0.95, max: 1.05, noNaN: true }),
  wallOffsetMs: integer({ min: -1e12, max: 1e12 }),
  mayWatch: boolean(),
  // Mostly a good network, and times in which it is not.
  passages: array(
    oneof({ weight: 3, arbitrary: constant({ requestMs: 5, answerMs: 5 }) }, { arbitrary: passages, weight: 1 }),
    { minLength: 5, maxLength: 40 },
  ),
  stops: array(record({ atMs: nat(LASTS_MS), forMs: integer({ min: 1000, max: 60_000 }) }), {
    maxLength: 2,
  }),
  endsAtMs: option(nat(LASTS_MS), { nil: undefined, freq: 3 }),
})

describe('several electors (R70-111)', () => {
  it('never believe that two of them may write, whatever clocks and network do', async function () {
    this.timeout(120_000)
    let terms = 0
    const noOverlap = asyncProperty(array(processes, { minLength: 2, maxLength: 4 }), async (plans) => {
      const world = new World(plans)
      await world.run()
      terms += world.terms
      expect(world.overlaps).to.deep.equal([])
    })
    await assert(noOverlap, { numRuns: 150, seed: 4242 })
    expect(terms, 'somebody led, again and again').to.be.above(300)
  })
})

type Plan = typeof processes extends Arbitrary<infer T> ? T : never

interface Elector {
  readonly identity: string
  readonly process: FakeProcess
  readonly election: LeaderElection
  readonly abort: AbortController
  readonly running: Promise<void>
}

class World {
  readonly #clock = new FakeClock()
  readonly #server = new LeaseServer(() => this.#clock.monotonicMs())
  readonly #electors: readonly Elector[]
  readonly overlaps: string[] = []
  terms = 0

  constructor(plans: readonly Plan[]) {
    this.#electors = plans.map((plan, index) => this.#elector(plan, `replica-${index}`))
  }

  async run(): Promise<void> {
    const endMs = this.#clock.monotonicMs() + LASTS_MS
    for (let leftMs = LASTS_MS; leftMs > 0; leftMs = endMs - this.#clock.monotonicMs()) {
      this.#clock.advance(Math.min(this.#clock.pending()[0] ?? leftMs, leftMs))
      await settled()
      this.#look()
    }
    for (const { process, abort } of this.#electors) {
      process.goOn()
      abort.abort(new Error('over'))
    }
    for (let round = 0; round < 200; round += 1) {
      this.#clock.advance(this.#clock.pending()[0] ?? 0)
      await settled()
    }
    await Promise.all(this.#electors.map(({ running }) => running))
  }

  /** A process that stands still writes nothing; what it believes is asked as soon as it goes on. */
  #look(): void {
    const writers = this.#electors.filter(({ process, election }) => !process.isStopped && election.mayWrite())
    if (writers.length > 1) this.overlaps.push(writers.map(({ identity }) => identity).join(' and '))
  }

  #elector(plan: Plan, identity: string): Elector {
    const process = new FakeProcess(this.#clock, plan.rate, plan.wallOffsetMs)
    let calls = 0
    const passage = (): Passage => {
      calls += 1
      return plan.passages[calls % plan.passages.length] ?? { requestMs: 0, answerMs: 0 }
    }
    const link = { network: this.#clock, timers: process, passage, mayWatch: plan.mayWatch, callTimeoutMs: 5000 }
    const times = { durationMs: DURATION_MS, renewMs: RENEW_MS, retryMs: RETRY_MS, askAgainMs: 60_000, releaseMs: 1000 }
    const election = new LeaderElection({
      client: new LeaseLink(this.#server, link),
      settings: { namespace: 'ramjet-system', name: 'ramjet', identity, ...times },
      clock: process,
      timers: process,
      random: () => 0.5,
      log: new FakeLogger(),
      onLead: () => {
        this.terms += 1
      },
    })
    const abort = new AbortController()
    for (const { atMs, forMs } of plan.stops) {
      this.#clock.after(atMs, () => process.stop())
      this.#clock.after(atMs + forMs, () => process.goOn())
    }
    if (plan.endsAtMs !== undefined) this.#clock.after(plan.endsAtMs, () => abort.abort(new Error('SIGTERM')))
    return { identity, process, election, abort, running: election.run(abort.signal) }
  }
}
