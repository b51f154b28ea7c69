import { expect } from 'chai'
import { diffTables } from '../../src/compiler/diff.ts'
import type { AuditRecord } from '../../src/generations/audit-record.ts'
import { Publishing } from '../../src/generations/publish.ts'
import type { PublishReport } from '../../src/generations/publish-report.ts'
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
  let records: AuditRecord[]
  /** What a compile finds now; `undefined`: nothing was compiled yet. */
  let compiled: Tables | undefined
  let publishing: Publishing
  beforeEach(() => {
    clock = new FakeClock()
    plane = new FakePlane()
    reports = []
    records = []
    compiled = undefined
    publishing = new Publishing({
      apply: plane.apply,
      clock,
      timers: clock,
      log: new FakeLogger(),
      diff: diffTables,
      recompile: async () => {
        if (compiled) await publishTables(compiled)
      },
      onReport: (report) => reports.push(report),
      onAudit: (record) => records.push(record),
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
    compiled = tables
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
    await settled()
    const waiting = [publish(AB), publish(AC), publish(A_MOVED)]
    await settled()
    expect(plane.numbers()).to.deep.equal(['1/1'])
    plane.handed[0]?.finish({ kind: 'applied' })
    plane.answer = () => ({ kind: 'applied' })
    expect(await first).to.include({ kind: 'applied' })
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).to.deep.equal(['superseded', 'superseded', 'applied'])
    // The configuration of the first again: no number ever falls, so it has one of its own.
    expect(served()).to.equal('4/4')
  })

  it('leaves a gap where a generation was never served', async () => {
    plane.answer = undefined
    const first = publish(A)
    await settled()
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

    it('makes way for what serves when the change is taken back: under a new number, so that none ever falls', async () => {
      await publish(AB)
      expect(await publish(A)).to.include({ kind: 'applied', what: 'generation' })
      expect(publishing.current()?.generation.number).to.equal(3)
      expect(publishing.newest()?.number).to.equal(3)
    })

    it('is one audit record, however often it is tried (R30-21)', async () => {
      plane.refuse('b.example', MEMORY)
      await publish(AB)
      clock.advance(1_000)
      await settled()
      expect(publishing.failures().memory).to.equal(2)
      expect(records.map(({ event, generation }) => `${event} ${generation}`)).to.deep.equal(['config 1', 'rejected 2'])
      expect(records[1]).to.include({ published: false, reason: 'memory: a heap ran out' })
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

  describe('a record', () => {
    it('tells of each generation what it changed about the one compiled before (R30-20)', async () => {
      await publish(A)
      await publish(AB)
      await publish(AB_MOVED)
      expect(
        records.map(({ event, previous, generation, published }) => [event, previous, generation, published]),
      ).to.deep.equal([
        ['config', 0, 1, true],
        ['config', 1, 2, true],
      ])
      expect(records[1]?.diff.routesAdded).to.deep.equal(['b.example / -> shop/b.example:80'])
      expect(publishing.history()[0]).to.include({ number: 2, previous: 1, routes: 2, hosts: 2 })
    })
  })

  describe('a pin', () => {
    beforeEach(async () => {
      for (const sites of [A, AB, AC]) await publish(sites)
      plane.handed.length = 0
      records = []
    })

    it('serves a kept generation by number, and by digest, with live endpoints (R30-17)', async () => {
      expect(await publishing.pin({ number: 1 })).to.deep.include({ kind: 'pinned' })
      expect(publishing.current()?.generation.number).to.equal(1)
      const [, second] = publishing.kept()
      expect(await publishing.pin({ digest: second?.digest ?? '' })).to.deep.include({ kind: 'pinned' })
      expect(publishing.current()?.generation.number).to.equal(2)
      expect(publishing.pinned()?.number).to.equal(2)
      expect(publishing.kept().map(({ number }) => number)).to.deep.equal([1, 2, 3])
    })

    it('has the backends that only it names resolved before it serves (R00-22)', async () => {
      const live = { 'a.example': ['192.0.2.7:80'], 'b.example': ['192.0.2.8:80'], 'c.example': [] }
      const asked: string[][] = []
      // As the compile loop does: endpoints of the newest tables and of all that `servedBackends` names.
      compiled = { ...tablesOf(AC), endpoints: tablesOf(live).endpoints }
      asked.push([...publishing.servedBackends().keys()])
      await publishing.pin({ number: 2 })
      asked.push([...publishing.servedBackends().keys()])
      expect(asked).to.deep.equal([
        ['shop/a.example:80', 'shop/c.example:80'],
        ['shop/a.example:80', 'shop/b.example:80'],
      ])
      const { endpoints } = publishing.current() ?? {}
      expect(
        endpoints?.table.byBackend.get('shop/b.example:80')?.endpoints.map(({ address }) => address),
      ).to.deep.equal(['192.0.2.8:80'])
    })

    it('names the backends of all that serves or may, in one map for as long as they are the same', async () => {
      await publishing.pin({ number: 3 })
      expect(publishing.servedBackends()).to.equal(publishing.current()?.generation.routes.backends)
      const before = publishing.servedBackends()
      await publish({ ...AC, 'd.example': [] })
      expect(publishing.servedBackends()).to.equal(before)
    })

    it('holds back what is compiled meanwhile, and serves new endpoints', async () => {
      await publishing.pin({ number: 1 })
      expect(await publish({ ...A_MOVED, 'd.example': [] })).to.include({ kind: 'applied', what: 'endpoints' })
      expect(publishing.current()?.generation.number).to.equal(1)
      const moved = publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')?.endpoints
      expect(moved?.map(({ address }) => address)).to.deep.equal(['192.0.2.2:80'])
      expect(publishing.newest()?.number).to.equal(4)
      expect(publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '4 held',
        '3 applied',
        '2 applied',
        '1 applied',
      ])
      expect(records.at(-1)).to.include({ event: 'config', generation: 4, previous: 3, published: false })
    })

    it('is let go for the newest generation; letting go of none is nothing', async () => {
      await publishing.pin({ number: 1 })
      await publish({ ...A, 'd.example': [] })
      await publishing.release()
      expect(publishing.current()?.generation.number).to.equal(4)
      expect(publishing.pinned()).to.equal(undefined)
      expect(publishing.history()[0]?.outcome.kind).to.equal('applied')
      expect(publishing.kept().map(({ number }) => number)).to.deep.equal([2, 3, 4])
      await publishing.release()
      expect(records.map(({ event, previous, generation }) => `${event} ${previous}->${generation}`)).to.deep.equal([
        'pin 3->1',
        'config 3->4',
        'resume 1->4',
      ])
      expect(records.at(-1)?.diff.routesAdded).to.deep.equal(['d.example / -> shop/d.example:80'])
    })

    it('publishes nothing where that generation serves already, and holds it', async () => {
      await publishing.pin({ number: 3 })
      expect(plane.handed).to.have.length(0)
      await publish(AB)
      expect(publishing.current()?.generation.number).to.equal(3)
    })

    it('moves while it is held', async () => {
      await publishing.pin({ number: 1 })
      await publishing.pin({ number: 2 })
      expect(plane.numbers().map((text) => text.split('/')[0])).to.include.members(['1', '2'])
      expect(records.map(({ event, previous, generation }) => `${event} ${previous}->${generation}`)).to.deep.equal([
        'pin 3->1',
        'pin 1->2',
      ])
    })

    for (const name of [{ number: 9 }, { digest: 'f'.repeat(32) }]) {
      it(`to ${JSON.stringify(name)} is unknown, and those kept are told`, async () => {
        const outcome = await publishing.pin(name)
        expect(outcome.kind).to.equal('unknown')
        expect(outcome.kind === 'unknown' && outcome.kept.map(({ number }) => number)).to.deep.equal([1, 2, 3])
        expect(publishing.pinned()).to.equal(undefined)
      })
    }

    it('that the workers refuse is not held: what serves serves on', async () => {
      plane.refuse('b.example', OTHER)
      expect(await publishing.pin({ number: 2 })).to.deep.equal({
        kind: 'refused',
        reason: 'other',
        message: 'a worker threw',
      })
      expect(publishing.pinned()).to.equal(undefined)
      expect(publishing.current()?.generation.number).to.equal(3)
      expect(publishing.failures().other).to.equal(1)
      expect(records).to.deep.equal([])
    })

    it('whose release is refused leaves what it served, and the newest as rejected', async () => {
      await publishing.pin({ number: 1 })
      plane.refuse('d.example', OTHER)
      await publish({ ...A, 'd.example': [] })
      await publishing.release()
      expect(publishing.current()?.generation.number).to.equal(1)
      expect(publishing.history()[0]).to.deep.include({
        number: 4,
        outcome: { kind: 'rejected', reason: 'other', message: 'a worker threw' },
      })
    })

    it('keeps fixed addresses of the generation that it serves (R00-22)', async () => {
      const fixed = { isFixed: true }
      await publish(A, fixed)
      await publish(A_MOVED, fixed)
      await publishing.pin({ number: 4 })
      await publish({ 'a.example': ['192.0.2.3:80'] }, fixed)
      const entry = publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')
      expect(entry?.endpoints.map(({ address }) => address)).to.deep.equal(['192.0.2.1:80'])
    })
  })

  describe('numbers of a leader (R30-15)', () => {
    it('begin above the highest that was observed, the newest generation included', async () => {
      await publish(A)
      await publishing.raiseNumberTo(56)
      expect(publishing.current()?.generation.number).to.equal(57)
      expect(publishing.newest()?.number).to.equal(57)
      expect(publishing.history().map(({ number }) => number)).to.deep.equal([57])
      expect(publishing.kept().map(({ number }) => number)).to.deep.equal([57])
      expect(plane.numbers()).to.deep.equal(['1/1', '57/1'])
      expect(records).to.have.length(1)
      await publish(AB)
      expect(publishing.newest()?.number).to.equal(58)
    })

    it('leave the newest generation its number where that is above already', async () => {
      await publish(A)
      await publish(AB)
      await publishing.raiseNumberTo(1)
      expect(plane.numbers()).to.deep.equal(['1/1', '2/2'])
    })

    it('leave it also where it was written by that number, and follow after the highest', async () => {
      await publish(A)
      await publishing.raiseNumberTo(56, { keepNewest: true })
      expect(publishing.newest()?.number).to.equal(1)
      await publish(AB)
      expect(publishing.newest()?.number).to.equal(57)
    })

    it('count from there where nothing was compiled yet', async () => {
      await publishing.raiseNumberTo(56)
      await publish(A)
      expect(publishing.current()?.generation.number).to.equal(57)
    })

    it('go to a pinned generation, one that is held back, and one that was refused', async () => {
      await publish(A)
      await publishing.pin({ number: 1 })
      await publishing.raiseNumberTo(10)
      expect(publishing.pinned()?.number).to.equal(11)
      expect(publishing.current()?.generation.number).to.equal(11)
      await publish(AB)
      await publishing.raiseNumberTo(20)
      expect(publishing.newest()?.number).to.equal(21)
      expect(publishing.current()?.generation.number).to.equal(11)
      expect(publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '21 held',
        '11 applied',
      ])
      plane.refuse('b.example', OTHER)
      await publishing.release()
      await publishing.raiseNumberTo(30)
      expect(publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '31 rejected',
        '11 applied',
      ])
      expect(publishing.current()?.generation.number).to.equal(11)
    })

    for (const isPinned of [false, true]) {
      const what = isPinned ? 'a pinned generation' : 'a generation'
      it(`leave ${what} its number where the workers refuse the new one: what serves is kept (R30-12)`, async () => {
        await publish(A)
        if (isPinned) await publishing.pin({ number: 1 })
        plane.answer = ({ generation }) => (generation.number > 1 ? MEMORY : { kind: 'applied' })
        await publishing.raiseNumberTo(56)
        expect(publishing.newest()?.number).to.equal(57)
        expect(publishing.current()?.generation.number).to.equal(1)
        expect(publishing.kept().map(({ number }) => number)).to.deep.equal([1])
        expect(publishing.pinned()?.number).to.equal(isPinned ? 1 : undefined)
        expect(publishing.history().at(-1)).to.deep.include({ number: 1, outcome: { kind: 'applied' } })
        // New endpoints go to what serves.
        await publish(A_MOVED)
        expect(publishing.current()?.generation.number).to.equal(1)
        expect(publishing.kept().map(({ number }) => number)).to.deep.equal([1])
        // Another leader, another number; then there is memory again.
        await publishing.raiseNumberTo(60)
        plane.answer = () => ({ kind: 'applied' })
        await publishing.release()
        await clock.run(60_000)
        expect(publishing.current()?.generation.number).to.equal(61)
        expect(publishing.kept().map(({ number }) => number)).to.deep.equal([61])
        expect(publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
          '61 applied',
        ])
      })
    }
  })
})
