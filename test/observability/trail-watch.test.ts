import { expect } from 'chai'
import { TrailWatch } from '../../src/observability/trail-watch.ts'
import { FakeClock } from '../fakes/clock.ts'

function watching(): { clock: FakeClock; watch: TrailWatch; seen: { count: number; found: number } } {
  const clock = new FakeClock()
  const seen = { count: 0, found: 0 }
  const watch = new TrailWatch({
    timers: clock,
    count: () => seen.count,
    onFound: () => {
      seen.found += 1
    },
  })
  watch.start()
  return { clock, watch, seen }
}

describe('TrailWatch (R20-52)', () => {
  it('says nothing at a hundred requests, and one warning above', () => {
    const { clock, watch, seen } = watching()
    seen.count = 100
    clock.advance(4_000)
    expect([watch.warnings(), seen.found]).to.deep.equal([[], 0])
    seen.count = 101
    clock.advance(2_000)
    expect(watch.warnings().map(({ reason, field }) => [reason, field])).to.deep.equal([
      ['UntrustedForwardedFor', '--trusted-proxies'],
    ])
    expect([seen.found, clock.pending()]).to.deep.equal([1, []])
  })

  it('leaves no timer behind when it is stopped', () => {
    const { clock, watch } = watching()
    watch.stop()
    expect(clock.pending()).to.deep.equal([])
  })
})
