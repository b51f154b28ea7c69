import { expect } from 'chai'
import type { Warning } from '../../src/model/warning.ts'
import { settled } from '../fakes/clock.ts'
import { A, A_MOVED, AB, AB_MOVED, AC, MEMORY, OTHER, PublishBench } from './publish-bench.ts'

describe('Publishing', () => {
  let bench: PublishBench
  beforeEach(() => {
    bench = new PublishBench()
  })

  it('numbers what changed and tells how long it took since the event', async () => {
    const report = await bench.publish(A)
    expect(report).to.include({ kind: 'applied', what: 'generation', durationMs: 25 })
    expect(await bench.publish(AB)).to.include({ kind: 'applied', what: 'generation' })
    expect(await bench.publish(AB_MOVED)).to.include({ kind: 'applied', what: 'endpoints' })
    expect(bench.plane.numbers()).to.deep.equal(['1/1', '2/2', '2/3'])
    expect(bench.served()).to.equal('2/3')
  })

  it('publishes nothing when both digests serve already, and notes the warnings all the same (R30-7)', async () => {
    await bench.publish(A)
    const warnings: Warning[] = [
      { reason: 'InvalidHost', object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'f', message: 'm' },
    ]
    expect(await bench.publish(A, { warnings })).to.deep.equal({ kind: 'unchanged' })
    expect(bench.publishing.warnings()).to.equal(warnings)
    expect(bench.plane.handed).to.have.length(1)
  })

  it('publishes one pair at a time, and of those that wait the newest (R30-16)', async () => {
    bench.plane.answer = undefined
    const first = bench.publish(A)
    await settled()
    const waiting = [bench.publish(AB), bench.publish(AC), bench.publish(A_MOVED)]
    await settled()
    expect(bench.plane.numbers()).to.deep.equal(['1/1'])
    bench.plane.handed[0]?.finish({ kind: 'applied' })
    bench.plane.answer = () => ({ kind: 'applied' })
    expect(await first).to.include({ kind: 'applied' })
    expect((await Promise.all(waiting)).map(({ kind }) => kind)).to.deep.equal(['superseded', 'superseded', 'applied'])
    // The configuration of the first again: no number ever falls, so it has one of its own.
    expect(bench.served()).to.equal('4/4')
  })

  it('leaves a gap where a generation was never served', async () => {
    bench.plane.answer = undefined
    const first = bench.publish(A)
    await settled()
    const skipped = bench.publish(AB)
    const last = bench.publish(AC)
    bench.plane.answer = () => ({ kind: 'applied' })
    bench.plane.handed[0]?.finish({ kind: 'applied' })
    await Promise.all([first, skipped, last])
    expect(bench.plane.numbers()).to.deep.equal(['1/1', '3/3'])
  })

  it('keeps the fixed addresses of the generation that serves with it (R00-22)', async () => {
    await bench.publish(A, { isFixed: true })
    bench.plane.refuse('b.example', OTHER)
    await bench.publish(AB_MOVED, { isFixed: true })
    const endpoints = bench.publishing.current()?.endpoints.table.byBackend.get('shop/a.example:80')?.endpoints
    expect(endpoints?.map(({ address }) => address)).to.deep.equal(['192.0.2.1:80'])
  })

  it('tells the data plane which generations are kept, this one included (R30-16)', async () => {
    for (const host of ['a', 'b', 'c', 'd']) await bench.publish({ [`${host}.example`]: [] })
    expect(bench.plane.handed.map(({ kept }) => kept)).to.deep.equal([[1], [1, 2], [1, 2, 3], [2, 3, 4]])
    expect(bench.publishing.kept().map(({ number }) => number)).to.deep.equal([2, 3, 4])
  })

  it('tries nothing again once it is stopped', async () => {
    bench.plane.refuse('a.example', MEMORY)
    await bench.publish(A)
    bench.publishing.stop()
    expect(bench.clock.pending()).to.deep.equal([])
  })

  describe('a record', () => {
    it('tells of each generation what it changed about the one compiled before (R30-20)', async () => {
      await bench.publish(A)
      await bench.publish(AB)
      await bench.publish(AB_MOVED)
      expect(
        bench.records.map(({ event, previous, generation, published }) => [event, previous, generation, published]),
      ).to.deep.equal([
        ['config', 0, 1, true],
        ['config', 1, 2, true],
      ])
      expect(bench.records[1]?.diff.routesAdded).to.deep.equal(['b.example / -> shop/b.example:80'])
      expect(bench.publishing.history()[0]).to.include({ number: 2, previous: 1, routes: 2, hosts: 2 })
    })
  })
})
