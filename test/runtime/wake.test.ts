import { expect } from 'chai'
import { Wake } from '../../src/runtime/wake.ts'
import { settled } from '../fakes/clock.ts'

describe('Wake', () => {
  it('ends the wait that is under way, and none that comes later', async () => {
    const wake = new Wake()
    const { signal } = new AbortController()
    const first = wake.wait(signal)
    wake.call()
    await first
    wake.call()
    const second = wake.wait(signal)
    expect(await Promise.race([second.then(() => 'over'), settled().then(() => 'waiting')])).to.equal('waiting')
    wake.call()
    await second
  })

  it('ends the wait when the signal is aborted, and forgets the signal', async () => {
    const wake = new Wake()
    const controller = new AbortController()
    const waiting = wake.wait(controller.signal)
    controller.abort()
    await waiting
    wake.call()
  })
})
