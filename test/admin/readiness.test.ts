import { expect } from 'chai'
import { type KindFacts, Readiness, type WorkerFacts } from '../../src/admin/readiness.ts'

const SERVING: WorkerFacts = { index: 0, state: 'serving', generation: 1, endpointsVersion: 1 }
const SYNCED: KindFacts = { kind: 'Ingress', required: true, hasSynced: true, state: 'synced', problem: '' }

function waitsFor(workers: readonly WorkerFacts[], kinds: readonly KindFacts[] = []): readonly string[] {
  return new Readiness({ workers: () => workers, kinds: () => kinds }).report().waitsFor
}

describe('Readiness (R30-47)', () => {
  it('waits for every worker to serve a generation above 0', () => {
    expect(waitsFor([])).to.deep.equal(['workers: none has started'])
    expect(waitsFor([SERVING, { ...SERVING, index: 1, state: 'starting', generation: 0 }])).to.deep.equal([
      'worker 1: has no generation yet',
    ])
    expect(waitsFor([{ ...SERVING, state: 'restarting' }])).to.deep.equal(['worker 0: restarting'])
    expect(waitsFor([SERVING])).to.deep.equal([])
  })

  it('waits for required kinds, and names verb and kind of what is forbidden (R30-48)', () => {
    const unsynced = { ...SYNCED, hasSynced: false, state: 'syncing' }
    expect(
      waitsFor([SERVING], [SYNCED, { ...unsynced, state: 'forbidden', problem: 'may not list ingresses' }]),
    ).to.deep.equal(['Ingress: forbidden, may not list ingresses'])
    expect(waitsFor([SERVING], [{ ...unsynced, required: false }])).to.deep.equal([])
    expect(waitsFor([SERVING], [unsynced])).to.deep.equal(['Ingress: syncing'])
  })

  it('stays ready whatever happens later, until it drains', () => {
    let workers: readonly WorkerFacts[] = [SERVING]
    let kinds: readonly KindFacts[] = [SYNCED]
    const readiness = new Readiness({ workers: () => workers, kinds: () => kinds })
    expect(readiness.report().isReady).to.equal(true)
    workers = [{ ...SERVING, state: 'dead' }]
    kinds = [{ ...SYNCED, hasSynced: false }]
    expect(readiness.report()).to.deep.equal({ isReady: true, waitsFor: [] })
    readiness.startDraining()
    expect(readiness.report().isReady).to.equal(false)
  })
})
