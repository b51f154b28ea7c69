import { expect } from 'chai'
import { tablesOf } from '../builders/pair.ts'
import { A, A_MOVED, AB, AC, OTHER, PublishBench } from './publish-bench.ts'

describe('Publishing, pinned', () => {
  let bench: PublishBench
  beforeEach(() => {
    bench = new PublishBench()
  })

  describe('a pin', () => {
    beforeEach(async () => {
      for (const sites of [A, AB, AC]) await bench.publish(sites)
      bench.plane.handed.length = 0
      bench.records.length = 0
    })

    it('serves a kept generation by number, and by digest, with live endpoints (R30-17)', async () => {
      expect(await bench.publishing.pin({ number: 1 })).to.deep.include({ kind: 'pinned' })
      expect(bench.publishing.current()?.generation.number).to.equal(1)
      const [, second] = bench.publishing.kept()
      expect(await bench.publishing.pin({ digest: second?.digest ?? '' })).to.deep.include({ kind: 'pinned' })
      expect(bench.publishing.current()?.generation.number).to.equal(2)
      expect(bench.publishing.pinned()?.number).to.equal(2)
      expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([1, 2, 3])
    })

    it('has the backends that only it names resolved before it serves (R00-22)', async () => {
      const live = { 'a.example': ['192.0.2.7:80'], 'b.example': ['192.0.2.8:80'], 'c.example': [] }
      const asked: string[][] = []
      // As the compile loop does: endpoints of the newest tables and of all that `servedBackends` names.
      bench.compiled = { ...tablesOf(AC), endpoints: tablesOf(live).endpoints }
      asked.push([...bench.publishing.servedBackends().keys()])
      await bench.publishing.pin({ number: 2 })
      asked.push([...bench.publishing.servedBackends().keys()])
      expect(asked).to.deep.equal([
        ['shop/a.example:80', 'shop/c.example:80'],
        ['shop/a.example:80', 'shop/b.example:80'],
      ])
      const { endpoints } = bench.publishing.current() ?? {}
      expect(
        endpoints?.table.byBackend.get('shop/b.example:80')?.endpoints.map(({ address }) => address),
      ).to.deep.equal(['192.0.2.8:80'])
    })

    it('names the backends of all that serves or may, in one map for as long as they are the same', async () => {
      await bench.publishing.pin({ number: 3 })
      expect(bench.publishing.servedBackends()).to.equal(bench.publishing.current()?.generation.routes.backends)
      const before = bench.publishing.servedBackends()
      await bench.publish({ ...AC, 'd.example': [] })
      expect(bench.publishing.servedBackends()).to.equal(before)
    })

    it('holds back what is compiled meanwhile, and serves new endpoints', async () => {
      await bench.publishing.pin({ number: 1 })
      expect(await bench.publish({ ...A_MOVED, 'd.example': [] })).to.include({ kind: 'applied', what: 'endpoints' })
      expect(bench.publishing.current()?.generation.number).to.equal(1)
      const moved = bench.publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')?.endpoints
      expect(moved?.map(({ address }) => address)).to.deep.equal(['192.0.2.2:80'])
      expect(bench.publishing.newest()?.number).to.equal(4)
      expect(bench.publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '4 held',
        '3 applied',
        '2 applied',
        '1 applied',
      ])
      expect(bench.records.at(-1)).to.include({ event: 'config', generation: 4, previous: 3, published: false })
    })

    it('is let go for the newest generation; letting go of none is nothing', async () => {
      await bench.publishing.pin({ number: 1 })
      await bench.publish({ ...A, 'd.example': [] })
      await bench.publishing.release()
      expect(bench.publishing.current()?.generation.number).to.equal(4)
      expect(bench.publishing.pinned()).to.equal(undefined)
      expect(bench.publishing.history()[0]?.outcome.kind).to.equal('applied')
      expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([2, 3, 4])
      await bench.publishing.release()
      expect(
        bench.records.map(({ event, previous, generation }) => `${event} ${previous}->${generation}`),
      ).to.deep.equal(['pin 3->1', 'config 3->4', 'resume 1->4'])
      expect(bench.records.at(-1)?.diff.routesAdded).to.deep.equal(['d.example / -> shop/d.example:80'])
    })

    it('publishes nothing where that generation serves already, and holds it', async () => {
      await bench.publishing.pin({ number: 3 })
      expect(bench.plane.handed).to.have.length(0)
      await bench.publish(AB)
      expect(bench.publishing.current()?.generation.number).to.equal(3)
    })

    it('moves while it is held', async () => {
      await bench.publishing.pin({ number: 1 })
      await bench.publishing.pin({ number: 2 })
      expect(bench.plane.numbers().map((text) => text.split('/')[0])).to.include.members(['1', '2'])
      expect(
        bench.records.map(({ event, previous, generation }) => `${event} ${previous}->${generation}`),
      ).to.deep.equal(['pin 3->1', 'pin 1->2'])
    })

    for (const name of [{ number: 9 }, { digest: 'f'.repeat(32) }]) {
      it(`to ${JSON.stringify(name)} is unknown, and those kept are told`, async () => {
        const outcome = await bench.publishing.pin(name)
        expect(outcome.kind).to.equal('unknown')
        expect(outcome.kind === 'unknown' && outcome.kept.map(({ number }) => number)).to.deep.equal([1, 2, 3])
        expect(bench.publishing.pinned()).to.equal(undefined)
      })
    }

    it('that the workers refuse is not held: what serves serves on', async () => {
      bench.plane.refuse('b.example', OTHER)
      expect(await bench.publishing.pin({ number: 2 })).to.deep.equal({
        kind: 'refused',
        reason: 'other',
        message: 'a worker threw',
      })
      expect(bench.publishing.pinned()).to.equal(undefined)
      expect(bench.publishing.current()?.generation.number).to.equal(3)
      expect(bench.publishing.failures().other).to.equal(1)
      expect(bench.records).to.deep.equal([])
    })

    it('whose release is refused leaves what it served, and the newest as rejected', async () => {
      await bench.publishing.pin({ number: 1 })
      bench.plane.refuse('d.example', OTHER)
      await bench.publish({ ...A, 'd.example': [] })
      await bench.publishing.release()
      expect(bench.publishing.current()?.generation.number).to.equal(1)
      expect(bench.publishing.history()[0]).to.deep.include({
        number: 4,
        outcome: { kind: 'rejected', reason: 'other', message: 'a worker threw' },
      })
    })

    it('keeps fixed addresses of the generation that it serves (R00-22)', async () => {
      const fixed = { isFixed: true }
      await bench.publish(A, fixed)
      await bench.publish(A_MOVED, fixed)
      await bench.publishing.pin({ number: 4 })
      await bench.publish({ 'a.example': ['192.0.2.3:80'] }, fixed)
      const entry = bench.publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')
      expect(entry?.endpoints.map(({ address }) => address)).to.deep.equal(['192.0.2.1:80'])
    })
  })
})
