import { expect } from 'chai'
import { WorkQueue } from '../../src/runtime/work-queue.ts'
import { FakeClock, settled } from '../fakes/clock.ts'

describe('WorkQueue', () => {
  let clock: FakeClock
  let queue: WorkQueue

  beforeEach(() => {
    clock = new FakeClock()
    queue = new WorkQueue(clock)
  })

  async function takeAll(): Promise<string[]> {
    const keys: string[] = []
    while (queue.depth > 0) keys.push((await queue.take())?.key ?? '')
    return keys
  }

  it('hands out keys in the order in which they were added', async () => {
    for (const key of ['c', 'a', 'b']) queue.add(key, 0)
    expect(await takeAll()).to.deep.equal(['c', 'a', 'b'])
  })

  it('hands out a key once however often it was added, with the time of the first event', async () => {
    queue.add('a', 1)
    queue.add('a', 2)
    expect(queue.depth).to.equal(1)
    expect(await queue.take()).to.deep.equal({ key: 'a', receivedAtMs: 1 })
    expect(queue.depth).to.equal(0)
  })

  it('hands a key that is being worked on out again only when it was given back', async () => {
    queue.add('a', 1)
    await queue.take()
    queue.add('a', 2)
    queue.add('a', 3)
    const second = queue.take()
    queue.add('b', 4)
    expect(await second).to.deep.equal({ key: 'b', receivedAtMs: 4 })
    queue.done('a')
    expect(await queue.take()).to.deep.equal({ key: 'a', receivedAtMs: 2 })
  })

  it('wakes a taker as soon as a key is added', async () => {
    const taken = queue.take()
    queue.add('a', 5)
    expect(await taken).to.deep.equal({ key: 'a', receivedAtMs: 5 })
  })

  it('adds a delayed key when its time has come, and counts it before', async () => {
    queue.addAfter('a', 0, 100)
    expect(queue.depth).to.equal(1)
    const taken = queue.take()
    clock.advance(99)
    queue.add('b', 0)
    expect((await taken)?.key).to.equal('b')
    clock.advance(1)
    expect((await queue.take())?.key).to.equal('a')
  })

  it('replaces a delay that runs already', () => {
    queue.addAfter('a', 0, 100)
    queue.addAfter('a', 0, 500)
    expect(clock.pending()).to.deep.equal([500])
  })

  it('is idle when nothing waits, nothing is delayed and all that was taken was given back', async () => {
    let isIdle = false
    queue.add('a', 0)
    queue.addAfter('b', 0, 100)
    void queue.whenIdle().then(() => {
      isIdle = true
      return undefined
    })
    await queue.take()
    queue.done('a')
    await settled()
    expect(isIdle).to.equal(false)
    clock.advance(100)
    await queue.take()
    await settled()
    expect(isIdle).to.equal(false)
    queue.done('b')
    await settled()
    expect(isIdle).to.equal(true)
  })

  it('is idle at once when it is empty', () => queue.whenIdle())

  it('sends takers away when it is closed, drops what waits and takes nothing more', async () => {
    const waiting = queue.take()
    queue.addAfter('a', 0, 100)
    queue.close()
    expect(await waiting).to.equal(undefined)
    queue.add('b', 0)
    queue.addAfter('c', 0, 1)
    expect(clock.pending()).to.deep.equal([])
    expect(await queue.take()).to.equal(undefined)
    expect(queue.depth).to.equal(0)
  })
})
