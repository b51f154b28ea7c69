import { expect } from 'chai'
import { A, A_MOVED, AB, MEMORY, OTHER, PublishBench } from './publish-bench.ts'

describe('Publishing as a leader', () => {
  let bench: PublishBench
  beforeEach(() => {
    bench = new PublishBench()
  })

  describe('numbers of a leader (R30-15)', () => {
    it('begin above the highest that was observed, the newest generation included', async () => {
      await bench.publish(A)
      await bench.publishing.raiseNumberTo(56)
      expect(bench.publishing.current()?.generation.number).to.equal(57)
      expect(bench.publishing.newest()?.number).to.equal(57)
      expect(bench.publishing.history().map(({ number }) => number)).to.deep.equal([57])
      expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([57])
      expect(bench.plane.numbers()).to.deep.equal(['1/1', '57/1'])
      expect(bench.records).to.have.length(1)
      await bench.publish(AB)
      expect(bench.publishing.newest()?.number).to.equal(58)
    })

    it('leave the newest generation its number where that is above already', async () => {
      await bench.publish(A)
      await bench.publish(AB)
      await bench.publishing.raiseNumberTo(1)
      expect(bench.plane.numbers()).to.deep.equal(['1/1', '2/2'])
    })

    it('leave it also where it was written by that number, and follow after the highest', async () => {
      await bench.publish(A)
      await bench.publishing.raiseNumberTo(56, { keepNewest: true })
      expect(bench.publishing.newest()?.number).to.equal(1)
      await bench.publish(AB)
      expect(bench.publishing.newest()?.number).to.equal(57)
    })

    it('count from there where nothing was compiled yet', async () => {
      await bench.publishing.raiseNumberTo(56)
      await bench.publish(A)
      expect(bench.publishing.current()?.generation.number).to.equal(57)
    })

    it('go to a pinned generation, one that is held back, and one that was refused', async () => {
      await bench.publish(A)
      await bench.publishing.pin({ number: 1 })
      await bench.publishing.raiseNumberTo(10)
      expect(bench.publishing.pinned()?.number).to.equal(11)
      expect(bench.publishing.current()?.generation.number).to.equal(11)
      await bench.publish(AB)
      await bench.publishing.raiseNumberTo(20)
      expect(bench.publishing.newest()?.number).to.equal(21)
      expect(bench.publishing.current()?.generation.number).to.equal(11)
      expect(bench.publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '21 held',
        '11 applied',
      ])
      bench.plane.refuse('b.example', OTHER)
      await bench.publishing.release()
      await bench.publishing.raiseNumberTo(30)
      expect(bench.publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
        '31 rejected',
        '11 applied',
      ])
      expect(bench.publishing.current()?.generation.number).to.equal(11)
    })

    for (const isPinned of [false, true]) {
      const what = isPinned ? 'a pinned generation' : 'a generation'
      it(`leave ${what} its number where the workers refuse the new one: what serves is kept (R30-12)`, async () => {
        await bench.publish(A)
        if (isPinned) await bench.publishing.pin({ number: 1 })
        bench.plane.answer = ({ generation }) => (generation.number > 1 ? MEMORY : { kind: 'applied' })
        await bench.publishing.raiseNumberTo(56)
        expect(bench.publishing.newest()?.number).to.equal(57)
        expect(bench.publishing.current()?.generation.number).to.equal(1)
        expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([1])
        expect(bench.publishing.pinned()?.number).to.equal(isPinned ? 1 : undefined)
        expect(bench.publishing.history().at(-1)).to.deep.include({ number: 1, outcome: { kind: 'applied' } })
        // New endpoints go to what serves.
        await bench.publish(A_MOVED)
        expect(bench.publishing.current()?.generation.number).to.equal(1)
        expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([1])
        // Another leader, another number; then there is memory again.
        await bench.publishing.raiseNumberTo(60)
        bench.plane.answer = () => ({ kind: 'applied' })
        await bench.publishing.release()
        await bench.clock.run(60_000)
        expect(bench.publishing.current()?.generation.number).to.equal(61)
        expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([61])
        expect(bench.publishing.history().map(({ number, outcome }) => `${number} ${outcome.kind}`)).to.deep.equal([
          '61 applied',
        ])
      })
    }
  })
})
