import { expect } from 'chai'
import { tablesOf } from '../builders/pair.ts'
import { settled } from '../fakes/clock.ts'
import { A, A_MOVED, AB, AB_MOVED, AC, MEMORY, OTHER, PublishBench } from './publish-bench.ts'

describe('Publishing that is refused', () => {
  let bench: PublishBench
  beforeEach(() => {
    bench = new PublishBench()
  })

  describe('a generation that is refused', () => {
    beforeEach(async () => {
      await bench.publish(A)
      bench.plane.refuse('b.example', OTHER)
    })

    it('is recorded and counted, and what served serves on (R00-11)', async () => {
      expect(await bench.publish(AB)).to.include({ kind: 'refused', what: 'generation', reason: 'other' })
      expect(bench.publishing.current()?.generation.number).to.equal(1)
      expect(bench.publishing.history().map(({ number, outcome }) => ({ number, ...outcome }))).to.deep.equal([
        { number: 2, kind: 'rejected', reason: 'other', message: 'a worker threw' },
        { number: 1, kind: 'applied' },
      ])
      expect(bench.publishing.failures()).to.include({ other: 1, memory: 0 })
    })

    it('does not hold up new endpoints of the one that serves', async () => {
      await bench.publish(AB)
      // The endpoints of what was refused stand in the table already: its backend is one that may be served.
      expect(bench.served()).to.equal('1/2')
      const moved = { ...tablesOf(AB), endpoints: tablesOf(AB_MOVED).endpoints }
      await bench.publishTables(moved)
      expect(bench.served()).to.equal('1/3')
      expect(bench.publishing.current()?.endpoints.table).to.equal(moved.endpoints)
    })

    it('is not tried again with the very table that was refused, nor by a timer (R30-12)', async () => {
      const tables = tablesOf(AB)
      await bench.publishTables(tables)
      const handed = bench.plane.numbers()
      await bench.publishTables(tables)
      bench.clock.advance(600_000)
      await settled()
      expect(bench.plane.numbers()).to.deep.equal(handed)
    })

    it('is tried again when something was compiled anew', async () => {
      await bench.publish(AB)
      bench.plane.answer = () => ({ kind: 'applied' })
      expect(await bench.publish(AB)).to.include({ kind: 'applied', what: 'generation' })
      expect(bench.publishing.history().map(({ outcome }) => outcome.kind)).to.deep.equal(['applied', 'applied'])
    })

    it('is given up for the one after it', async () => {
      await bench.publish(AB)
      expect(await bench.publish(AC)).to.include({ kind: 'applied' })
      expect(bench.served()).to.equal('3/3')
    })

    it('makes way for what serves when the change is taken back: under a new number, so that none ever falls', async () => {
      await bench.publish(AB)
      expect(await bench.publish(A)).to.include({ kind: 'applied', what: 'generation' })
      expect(bench.publishing.current()?.generation.number).to.equal(3)
      expect(bench.publishing.newest()?.number).to.equal(3)
    })

    it('is one audit record, however often it is tried (R30-21)', async () => {
      bench.plane.refuse('b.example', MEMORY)
      await bench.publish(AB)
      bench.clock.advance(1_000)
      await settled()
      expect(bench.publishing.failures().memory).to.equal(2)
      expect(bench.records.map(({ event, generation }) => `${event} ${generation}`)).to.deep.equal([
        'config 1',
        'rejected 2',
      ])
      expect(bench.records[1]).to.include({ published: false, reason: 'memory: a heap ran out' })
    })
  })

  it('tries a lack of resources again after 1, 2, 4 and at most 60 s (R30-12)', async () => {
    await bench.publish(A)
    bench.plane.refuse('b.example', MEMORY)
    await bench.publish(AB)
    const delays: number[] = []
    for (let attempt = 0; attempt < 9; attempt += 1) {
      const [delay = 0] = bench.clock.pending()
      delays.push(delay)
      bench.clock.advance(delay)
      await settled()
    }
    expect(delays).to.deep.equal([1, 2, 4, 8, 16, 32, 60, 60, 60].map((seconds) => seconds * 1_000))
    bench.plane.answer = () => ({ kind: 'applied' })
    bench.clock.advance(60_000)
    await settled()
    expect(bench.served().startsWith('2/')).to.equal(true)
    expect(bench.clock.pending()).to.deep.equal([])
    expect(bench.publishing.failures().memory).to.equal(10)
  })

  it('lets a change of endpoints not bring a want of memory back before its time', async () => {
    await bench.publish(A)
    bench.plane.refuse('b.example', MEMORY)
    await bench.publish(AB)
    await bench.publish(AB_MOVED)
    expect(bench.publishing.failures().memory).to.equal(1)
    expect(bench.publishing.current()?.generation.number).to.equal(1)
    bench.plane.answer = () => ({ kind: 'applied' })
    bench.clock.advance(1_000)
    await settled()
    expect(bench.publishing.current()?.generation.number).to.equal(2)
    expect(bench.publishing.current()?.endpoints.table).to.deep.equal(tablesOf(AB_MOVED).endpoints)
  })

  it('tries endpoints again that were refused beside the serving generation, whatever the reason (R30-12)', async () => {
    await bench.publish(A)
    bench.plane.answer = () => OTHER
    expect(await bench.publish(A_MOVED)).to.include({ kind: 'refused', what: 'endpoints' })
    expect(bench.publishing.history()).to.have.length(1)
    bench.plane.answer = () => ({ kind: 'applied' })
    bench.clock.advance(1_000)
    await settled()
    expect(bench.served()).to.equal('1/2')
    expect(bench.reports.map(({ kind }) => kind)).to.deep.equal(['applied', 'refused', 'applied'])
  })

  it('serves nothing when the first generation is refused, and the next one that is good', async () => {
    bench.plane.refuse('b.example', OTHER)
    const tables = tablesOf(AB)
    expect(await bench.publishTables(tables)).to.include({ kind: 'refused' })
    expect(await bench.publishTables(tables)).to.include({ kind: 'refused' })
    expect(bench.publishing.failures().other).to.equal(1)
    expect(bench.served()).to.equal('nothing')
    expect(await bench.publish(A)).to.include({ kind: 'applied' })
  })
})
