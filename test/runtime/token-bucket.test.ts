import { expect } from 'chai'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { FakeClock, settled } from '../fakes/clock.ts'

describe('TokenBucket', () => {
  const stop = new AbortController()

  /** Milliseconds after which each of `count` takers, all asking at once, had its token. */
  async function waits(bucket: TokenBucket, clock: FakeClock, count: number): Promise<readonly number[]> {
    const beganMs = clock.monotonicMs()
    const had: number[] = []
    for (let taker = 0; taker < count; taker += 1) {
      void bucket.take(stop.signal).then(() => had.push(Math.round(clock.monotonicMs() - beganMs)))
    }
    await settled()
    await clock.run(500)
    return had
  }

  it('gives the burst at once and then so many a second, in the order of asking (R30-31)', async () => {
    const clock = new FakeClock()
    const bucket = new TokenBucket({ perSecond: 20, burst: 3, clock, timers: clock })
    expect(await waits(bucket, clock, 7)).to.deep.equal([0, 0, 0, 50, 100, 150, 200])
  })

  it('fills up to the burst while nobody asks, and no further', async () => {
    const clock = new FakeClock()
    const bucket = new TokenBucket({ perSecond: 20, burst: 2, clock, timers: clock })
    await waits(bucket, clock, 2)
    clock.advance(3_600_000)
    expect(await waits(bucket, clock, 4)).to.deep.equal([0, 0, 50, 100])
  })

  it('lets go of whoever waits when the signal is aborted', async () => {
    const clock = new FakeClock()
    const bucket = new TokenBucket({ perSecond: 1, burst: 1, clock, timers: clock })
    const abort = new AbortController()
    await bucket.take(abort.signal)
    let done = false
    void bucket.take(abort.signal).finally(() => {
      done = true
    })
    await settled()
    expect(done).to.equal(false)
    abort.abort()
    await settled()
    expect(done).to.equal(true)
    expect(clock.pending()).to.deep.equal([])
  })
})
