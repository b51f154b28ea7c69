import { expect } from 'chai'
import { WriteQueue } from '../../src/controllers/write-queue.ts'
import { FakeClock, settled } from '../fakes/clock.ts'

const REST_MS = 1000

describe('the queue of writes (R30-31)', () => {
  let clock: FakeClock
  let queue: WriteQueue
  const { signal } = new AbortController()

  beforeEach(() => {
    clock = new FakeClock()
    queue = new WriteQueue({ restMs: REST_MS, timers: clock })
  })

  it('has a key that is written to once however often it was added (R70-103)', async () => {
    for (let turn = 0; turn < 1000; turn += 1) queue.add('shop/web', false)
    expect(queue.size).to.equal(1)
    expect(await queue.take(signal)).to.equal('shop/web')
    expect(queue.size).to.equal(0)
  })

  it('gives those whose own routes changed before all others', async () => {
    queue.add('a', false)
    queue.add('b', false)
    queue.add('b', true)
    queue.add('c', true)
    const taken = [await queue.take(signal), await queue.take(signal), await queue.take(signal)]
    expect(taken).to.deep.equal(['b', 'c', 'a'])
  })

  it('leaves a key alone for a second after a write, and then gives it once', async () => {
    queue.rest('shop/web')
    queue.add('shop/web', false)
    queue.add('shop/web', true)
    let taken: string | undefined
    void queue.take(signal).then((key) => (taken = key))
    clock.advance(REST_MS - 1)
    await settled()
    expect(taken).to.equal(undefined)
    clock.advance(1)
    await settled()
    expect(taken).to.equal('shop/web')
    expect(queue.size).to.equal(0)
  })

  it('gives nothing once it is told to stop', async () => {
    const stopping = new AbortController()
    const waiting = queue.take(stopping.signal)
    stopping.abort()
    expect(await waiting).to.equal(undefined)
  })
})
