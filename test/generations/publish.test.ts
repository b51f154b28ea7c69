import { expect } from 'chai'
import { Publishing, type PublishReport } from '../../src/generations/publish.ts'
import type { ApplyOutcome, Pair, Tables } from '../../src/model/generation.ts'
import type { Warning } from '../../src/model/warning.ts'
import { type SiteOptions, type Sites, tablesOf } from '../builders/pair.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

type Refusal = Extract<ApplyOutcome, { readonly kind: 'refused' }>
interface Applied {
  readonly pair: Pair
  readonly kept: readonly number[]
  finish(outcome: ApplyOutcome): void
}

/** A data plane that answers when the test says so, or at once. */
class FakePlane {
  readonly handed: Applied[] = []
  answer: ((pair: Pair) => ApplyOutcome) | undefined = () => ({ kind: 'applied' })

  readonly apply = (pair: Pair, kept: readonly number[]): Promise<ApplyOutcome> =>
    new Promise((finish) => {
      this.handed.push({ pair, kept, finish })
      if (this.answer) finish(this.answer(pair))
    })

  /** Generation and version of every pair that was handed over. */
  numbers(): readonly string[] {
    return this.handed.map(({ pair }) => `${pair.generation.number}/${pair.endpoints.version}`)
  }

  refuse(host: string, refusal: Refusal): void {
    this.answer = ({ generation }) => (generation.routes.hosts.has(host) ? refusal : { kind: 'applied' })
  }
}

const OTHER: Refusal = { kind: 'refused', reason: 'other', message: 'a worker threw' }
const MEMORY: Refusal = { kind: 'refused', reason: 'memory', message: 'a heap ran out' }

const A: Sites = { 'a.example': ['192.0.2.1:80'] }
const A_MOVED: Sites = { 'a.example': ['192.0.2.2:80'] }
const AB: Sites = { ...A, 'b.example': ['192.0.2.1:80'] }
const AB_MOVED: Sites = { ...A_MOVED, 'b.example': ['192.0.2.1:80'] }
const AC: Sites = { ...A, 'c.example': [] }

describe('Publishing', () => {
  let clock: FakeClock
  let plane: FakePlane
  let reports: PublishReport[]
  let publishing: Publishing
  beforeEach(() => {
    clock = new FakeClock()
    plane = new FakePlane()
    reports = []
    publishing = new Publishing({
      apply: plane.apply,
      clock,
      timers: clock,
      log: new FakeLogger(),
      onReport: (report) => reports.push(report),
      historySize: 3,
    })
  })

  function publish(
    sites: Sites,
    options: SiteOptions & { readonly warnings?: readonly Warning[] } = {},
  ): Promise<PublishReport> {
    return publishTables(tablesOf(sites, options), options.warnings)
  }

  function publishTables(tables: Tables, warnings: readonly Warning[] = []): Promise<PublishReport> {
    return publishing.publish({ tables, warnings, receivedAtMs: clock.monotonicMs() - 25 })
  }

  function served(): string {
    const pair = publishing.current()
    return pair ? `${pair.generation.number}/${pair.endpoints.version}` : 'nothing'
  }

  it('numbers what changed and tells how long it took since the event', async () => {
    const report = await publish(A)
    expect(report).to.include({ kind: 'applied', what: 'generation', durationMs: 25 })
    expect(await publish(AB)).to.include({ kind: 'applied', what: 'generation' })
    expect(await publish(AB_MOVED)).to.include({ kind: 'applied', what: 'endpoints' })
    expect(plane.numbers()).to.deep.equal(['1/1', '2/2', '2/3'])
    expect(served()).to.equal('2/3')
  })

  it('publishes nothing when both digests serve already, and notes the warnings all the same (R30-7)', async () => {
    await publish(A)
    const warnings: Warning[] = [
      { reason: 'InvalidHost', object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'f', message: 'm' },
    ]
    expect(await publish(A, { warnings })).to.deep.equal({ kind: 'unchanged' })
    expect(publishing.warnings()).to.equal(warnings)
    expect(plane.handed).to.have.length(1)
  })

  it('publishes one pair at a time, and of those that wait the newest (R30-16)', async () => {
    plane.answer = undefined
    const first = publish(A)
    const waiting = [publish(AB), publish(AC), publish(A_MOVED)]
    await settled()
    expect(plane.numbers()).to.deep.equal(['1/1'])
    plane.handed[0]?.finish({ kind: 'applied' })
    plane.answer = () => ({ kind: 'applied' })
    expect(await first).to.include({ kind: 'applied' })
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).to.deep.equal(['superseded', 'superseded', 'applied'])
    expect(served()).to.equal('1/4')
    expect(publishing.newest()?.number).to.equal(1)
  })

  it('leaves a gap where a generation was never served', async () => {
    plane.answer = undefined
    const first = publish(A)
    const skipped = publish(AB)
    const last = publish(AC)
    plane.answer = () => ({ kind: 'applied' })
    plane.handed[0]?.finish({ kind: 'applied' })
    await Promise.all([first, skipped, last])
    expect(plane.numbers()).to.deep.equal(['1/1', '3/3'])
  })

  describe('a generation that is refused', () => {
    beforeEach(async () => {
      await publish(A)
      plane.refuse('b.example', OTHER)
    })

    it('is recorded and counted, and what served serves on (R00-11)', async () => {
      expect(await publish(AB)).to.include({ kind: 'refused', what: 'generation', reason: 'other' })
      expect(publishing.current()?.generation.number).to.equal(1)
      expect(publishing.history().map(({ number, outcome }) => ({ number, ...outcome }))).to.deep.equal([
        { number: 2, kind: 'rejected', reason: 'other', message: 'a worker threw' },
        { number: 1, kind: 'applied' },
      ])
      expect(publishing.failures()).to.include({ other: 1, memory: 0 })
    })

    it('does not hold up new endpoints of the one that serves', async () => {
      await publish(AB)
      // The endpoints of what was refused stand in the table already: its backend is one that may be served.
      expect(served()).to.equal('1/2')
      const moved = { ...tablesOf(AB), endpoints: tablesOf(AB_MOVED).endpoints }
      await publishTables(moved)
      expect(served()).to.equal('1/3')
      expect(publishing.current()?.endpoints.table).to.equal(moved.endpoints)
    })

    it('is not tried again with the very table that was refused, nor by a timer (R30-12)', async () => {
      const tables = tablesOf(AB)
      await publishTables(tables)
      const handed = plane.numbers()
      await publishTables(tables)
      clock.advance(600_000)
      await settled()
      expect(plane.numbers()).to.deep.equal(handed)
    })

    it('is tried again when something was compiled anew', async () => {
      await publish(AB)
      plane.answer = () => ({ kind: 'applied' })
      expect(await publish(AB)).to.include({ kind: 'applied', what: 'generation' })
      expect(publishing.history().map(({ outcome }) => outcome.kind)).to.deep.equal(['applied', 'applied'])
    })

    it('is given up for the one after it', async () => {
      await publish(AB)
      expect(await publish(AC)).to.include({ kind: 'applied' })
      expect(served()).to.equal('3/3')
    })

    it('makes way for the serving one when the change is taken back, which keeps its number', async () => {
      await publish(AB)
      const report = await publish(A)
      expect(report.kind).to.be.oneOf(['unchanged', 'applied'])
      expect(publishing.current()?.generation.number).to.equal(1)
      expect(publishing.newest()?.number).to.equal(1)
    })
  })

  it('tries a lack of resources again after 1, 2, 4 and at most 60 s (R30-12)', async () => {
    await publish(A)
    plane.refuse('b.example', MEMORY)
    await publish(AB)
    const delays: number[] = []
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const [delay = 0] = clock.pending()
      delays.push(delay)
      clock.advance(delay)
      await settled()
    }
    expect(delays).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
    plane.answer = () => ({ kind: 'applied' })
    clock.advance(60_000)
    await settled()
    expect(served().startsWith('2/')).to.equal(true)
    expect(clock.pending()).to.deep.equal([])
    expect(publishing.failures().memory).to.equal(10)
  })

  it('lets a change of endpoints not bring a want of memory back before its time', async () => {
    await publish(A)
    plane.refuse('b.example', MEMORY)
    await publish(AB)
    await publish(AB_MOVED)
    expect(publishing.failures().memory).to.equal(1)
    expect(publishing.current()?.generation.number).to.equal(1)
    plane.answer = () => ({ kind: 'applied' })
    clock.advance(1_000)
    await settled()
    expect(publishing.current()?.generation.number).to.equal(2)
    expect(publishing.current()?.endpoints.table).to.deep.equal(tablesOf(AB_MOVED).endpoints)
  })

  it('tries endpoints again that were refused beside the serving generation, whatever the reason (R30-12)', async () => {
    await publish(A)
    plane.answer = () => OTHER
    expect(await publish(A_MOVED)).to.include({ kind: 'refused', what: 'endpoints' })
    expect(publishing.history()).to.have.length(1)
    plane.answer = () => ({ kind: 'applied' })
    clock.advance(1_000)
    await settled()
    expect(served()).to.equal('1/2')
    expect(reports.map(({ kind }) => kind)).to.deep.equal(['applied', 'refused', 'applied'])
  })

  it('serves nothing when the first generation is refused, and the next one that is good', async () => {
    plane.refuse('b.example', OTHER)
    const tables = tablesOf(AB)
    expect(await publishTables(tables)).to.include({ kind: 'refused' })
    expect(await publishTables(tables)).to.include({ kind: 'refused' })
    expect(publishing.failures().other).to.equal(1)
    expect(served()).to.equal('nothing')
    expect(await publish(A)).to.include({ kind: 'applied' })
  })

  it('keeps the fixed addresses of the generation that serves with it (R00-22)', async () => {
    await publish(A, { isFixed: true })
    plane.refuse('b.example', OTHER)
    await publish(AB_MOVED, { isFixed: true })
    const endpoints = publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')?.endpoints
    expect(endpoints?.map(({ address }) => address)).to.deep.equal(['192.0.2.1:80'])
  })

  it('tells the data plane which generations are kept, this one included (R30-16)', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await publish({ [`${host}.example`]: [] })
    expect(plane.handed.map(({ kept }) => kept)).to.deep.equal([[1], [1, 2], [1, 2, 3], [2, 3, 4]])
    expect(publishing.kept().map(({ number }) => number)).to.deep.equal([2, 3, 4])
  })

  it('tries nothing again once it is stopped', async () => {
    plane.refuse('a.example', MEMORY)
    await publish(A)
    publishing.stop()
    expect(clock.pending()).to.deep.equal([])
  })
})
