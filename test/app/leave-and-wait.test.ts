import { expect } from 'chai'
import { leaveAndWait } from '../../src/app/leave-and-wait.ts'
import { FakeClock, settled } from '../fakes/clock.ts'

describe('leaveAndWait', () => {
  let clock: FakeClock
  let hasEnded: boolean

  beforeEach(() => {
    clock = new FakeClock()
    hasEnded = false
  })

  function begin(leaving: Promise<void> | undefined): void {
    void leaveAndWait(leaving, 10_000, clock).finally(() => {
      hasEnded = true
    })
  }

  async function isOverAfter(ms: number): Promise<boolean> {
    clock.advance(ms)
    await settled()
    return hasEnded
  }

  it('waits its time where nothing is to be left', async () => {
    begin(undefined)
    expect(await isOverAfter(9_999)).to.equal(false)
    expect(await isOverAfter(1)).to.equal(true)
  })

  it('counts the time from the signal on, and not from when the lease was given back (R20-123, R20-171)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begin(promise)
    expect(await isOverAfter(3_000)).to.equal(false)
    resolve()
    expect(await isOverAfter(6_999)).to.equal(false)
    expect(await isOverAfter(1)).to.equal(true)
  })

  it('ends nothing before the lease was given back (R30-44)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    begin(promise)
    expect(await isOverAfter(10_000)).to.equal(false)
    resolve()
    expect(await isOverAfter(0)).to.equal(true)
  })
})
