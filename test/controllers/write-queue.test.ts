import { expect } from 'chai'
import { WriteQueue } from '../../src/controllers/write-queue.ts'
import { FakeClock, settled } from '../fakes/clock.ts'

describe('WriteQueue', () => {
  let clock: FakeClock
  let queue: WriteQueue
  let stop: AbortController

  beforeEach(() => {
    clock = new FakeClock()
    queue = new WriteQueue({ restMs: 1000, timers: clock })
    stop = new AbortController()
  })

  async function all(): Promise<readonly string[]> {
    const taken: string[] = []
    while (queue.size > 0) taken.push((await queue.take(stop.signal)) ?? '')
    return taken
  }

  it('gives each key once, those added as first before all others (R30-31)', async () => {
    for (const key of ['a', 'b', 'a', 'c']) queue.add(key, false)
    queue.add('c', true)
    queue.add('c', false)
    queue.add('d', true)
    expect(queue.size).to.equal(4)
    expect(await all()).to.deep.equal(['c', 'd', 'a', 'b'])
  })

  it('gives a key that rests only when its time is over, and as first where it was asked so', async () => {
    queue.rest('a')
    queue.add('a', false)
    queue.add('a', true)
    queue.add('a', false)
    queue.add('b', false)
    expect(await queue.take(stop.signal)).to.equal('b')
    let taken: string | undefined
    void queue.take(stop.signal).then((key) => {
      taken = key
    })
    clock.advance(999)
    await settled()
    expect([taken, queue.size]).to.deep.equal([undefined, 1])
    clock.advance(1)
    await settled()
    expect(taken).to.equal('a')
  })

  it('gives nothing for a rest that nobody asked in', () => {
    queue.rest('a')
    clock.advance(1000)
    expect(queue.size).to.equal(0)
  })

  it('ends a wait when the signal is aborted, and leaves no timer when it is cleared', async () => {
    const waiting = queue.take(stop.signal)
    stop.abort()
    expect(await waiting).to.equal(undefined)
    queue.rest('a')
    queue.add('a', false)
    queue.clear()
    expect([queue.size, clock.pending().length]).to.deep.equal([0, 0])
  })
})
