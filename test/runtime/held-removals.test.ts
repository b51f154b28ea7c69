import { expect } from 'chai'
import { HeldRemovals } from '../../src/runtime/held-removals.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

const HOLD_MS = 1000

describe('HeldRemovals (R50-5)', () => {
  let clock: FakeClock
  let removed: string[]
  let answer: () => Promise<boolean>
  let asked: number
  let held: HeldRemovals
  let stop: AbortController
  let ended: Promise<void>

  beforeEach(() => {
    clock = new FakeClock()
    removed = []
    asked = 0
    answer = async () => true
    stop = new AbortController()
    held = new HeldRemovals({
      isServed: () => {
        asked += 1
        return answer()
      },
      remove: (keys) => removed.push(...keys),
      holdMs: HOLD_MS,
      timers: clock,
      log: new FakeLogger(),
    })
    ended = held.run(stop.signal)
  })

  afterEach(async () => {
    stop.abort()
    await ended
    expect(clock.pending()).to.deep.equal([])
  })

  it('asks nobody while nothing is held', async () => {
    await clock.run(5)
    expect(asked).to.equal(0)
    expect(clock.pending()).to.deep.equal([])
  })

  it('takes out what was removed, where its kind is still served', async () => {
    held.hold('shop/a')
    held.hold('shop/b')
    await clock.pass(HOLD_MS)
    await eventually(() => removed.length > 0)
    expect(removed).to.deep.equal(['shop/a', 'shop/b'])
    expect(asked).to.equal(1)
  })

  it('keeps what went together with its kind', async () => {
    answer = async () => false
    held.hold('shop/a')
    await clock.pass(HOLD_MS)
    await eventually(() => asked === 1)
    await settled()
    expect(removed).to.deep.equal([])
    expect(clock.pending()).to.deep.equal([])
  })

  it('leaves what is there again', async () => {
    held.hold('shop/a')
    held.hold('shop/b')
    held.release('shop/a')
    await clock.pass(HOLD_MS)
    await eventually(() => removed.length > 0)
    expect(removed).to.deep.equal(['shop/b'])
  })

  it('leaves what came back while it asked', async () => {
    const answered = Promise.withResolvers<boolean>()
    answer = () => answered.promise
    held.hold('shop/a')
    held.hold('shop/b')
    await clock.pass(HOLD_MS)
    await eventually(() => asked === 1)
    held.release('shop/b')
    held.hold('shop/c')
    answered.resolve(true)
    await eventually(() => removed.length > 0)
    expect(removed).to.deep.equal(['shop/a'])
    await clock.pass(HOLD_MS)
    await eventually(() => removed.length > 1)
    expect(removed).to.deep.equal(['shop/a', 'shop/c'])
  })

  it('asks again where nobody could say', async () => {
    answer = async () => {
      throw new Error('no answer')
    }
    held.hold('shop/a')
    await clock.pass(HOLD_MS)
    await eventually(() => asked === 1)
    answer = async () => true
    await clock.pass(HOLD_MS)
    await eventually(() => removed.length > 0)
    expect(removed).to.deep.equal(['shop/a'])
  })

  it('forgets everything when all that is there is known', async () => {
    held.hold('shop/a')
    held.clear()
    await clock.pass(HOLD_MS)
    await eventually(() => asked === 1)
    await settled()
    expect(removed).to.deep.equal([])
  })
})
