import { expect } from 'chai'
import { Backoff, READER_BACKOFF } from '../../src/runtime/backoff.ts'

// R70-112
describe('Backoff', () => {
  it('doubles the upper bound with every failure up to the longest delay', () => {
    const backoff = new Backoff(READER_BACKOFF, () => 1)
    const delays: number[] = []
    let nowMs = 0
    for (let failure = 0; failure < 8; failure += 1) {
      const delay = backoff.delayMs(nowMs)
      delays.push(delay)
      nowMs += delay
    }
    expect(delays).to.deep.equal([800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000])
  })

  it('draws the delay from nothing up to the bound', () => {
    expect(new Backoff(READER_BACKOFF, () => 0).delayMs(0)).to.equal(0)
    expect(new Backoff(READER_BACKOFF, () => 0.5).delayMs(0)).to.equal(400)
  })

  it('begins anew after two minutes without a failure', () => {
    const backoff = new Backoff(READER_BACKOFF, () => 1)
    backoff.delayMs(0)
    expect(backoff.delayMs(800 + 119_999)).to.equal(1600)
    expect(backoff.delayMs(800 + 119_999 + 1600 + 120_000)).to.equal(800)
  })

  it('waits at least as long as the server asked for', () => {
    expect(new Backoff(READER_BACKOFF, () => 0).delayMs(0, 7000)).to.equal(7000)
  })
})
