import { expect } from 'chai'
import type { AuditRecord } from '../../src/generations/audit-record.ts'
import { type ClassEvent, ClassEvents } from '../../src/generations/class-events.ts'
import { NO_DIFF } from '../../src/model/generation-diff.ts'
import { FakeClock } from '../fakes/clock.ts'

function config(generation: number, over: Partial<AuditRecord> = {}): AuditRecord {
  const diff = { ...NO_DIFF, routesAdded: [`route ${generation}`] }
  return { event: 'config', generation, previous: generation - 1, digest: 'd', published: true, diff, ...over }
}

describe('ClassEvents', () => {
  let clock: FakeClock
  let told: ClassEvent[]
  let events: ClassEvents
  beforeEach(() => {
    clock = new FakeClock()
    told = []
    events = new ClassEvents({ clock, timers: clock, emit: (event) => told.push(event), appliedMs: 10_000 })
  })

  it('tell of a generation at once', () => {
    events.record(config(1))
    expect(told).to.deep.equal([{ reason: 'ConfigApplied', note: '1 route added (gen 0->1)' }])
  })

  it('fold what follows within 10 s into one that names the range (R30-23)', () => {
    for (const generation of [1, 2, 3, 4]) {
      events.record(config(generation))
      clock.advance(1_000)
    }
    expect(told).to.have.length(1)
    clock.advance(6_000)
    expect(told.slice(1)).to.deep.equal([{ reason: 'ConfigApplied', note: '3 routes added (gen 1->4)' }])
    events.record(config(5))
    clock.advance(10_000)
    expect(told.slice(2).map(({ note }) => note)).to.deep.equal(['1 route added (gen 4->5)'])
    expect(clock.pending()).to.deep.equal([])
  })

  it('tell a pin, its release and a refusal at once, whatever else waits', () => {
    events.record(config(1))
    events.record(config(2))
    events.record(config(1, { event: 'pin', previous: 2, diff: NO_DIFF }))
    events.record(config(2, { event: 'resume', previous: 1 }))
    events.record(config(3, { event: 'rejected', published: false, reason: 'limit: too much' }))
    expect(told.slice(1)).to.deep.equal([
      { reason: 'ConfigPinned', note: 'no change (gen 2->1)' },
      { reason: 'ConfigResumed', note: '1 route added (gen 1->2)' },
      { reason: 'ConfigRejected', note: '1 route added (gen 2->3): limit: too much' },
    ])
  })

  it('tell nothing of a generation that a pin holds back', () => {
    events.record(config(2, { published: false }))
    expect(told).to.deep.equal([])
  })

  it('tell nothing more once they are stopped', () => {
    events.record(config(1))
    events.record(config(2))
    events.stop()
    expect(clock.pending()).to.deep.equal([])
    clock.advance(60_000)
    expect(told).to.have.length(1)
  })
})
