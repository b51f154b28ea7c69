import { expect } from 'chai'
import { BodyRate } from '../../src/dataplane/body-rate.ts'

describe('BodyRate', () => {
  it('R20-80: wants its bytes within every window, and looks no earlier', () => {
    const rate = new BodyRate(16, 0)
    expect(rate.isTooSlow(59_999, 0)).to.equal(false)
    expect(rate.isTooSlow(60_000, 960)).to.equal(false)
    expect(rate.isTooSlow(119_999, 960)).to.equal(false)
    expect(rate.isTooSlow(120_000, 1919)).to.equal(true)
  })

  it('begins anew where the body did not wait for the client', () => {
    const rate = new BodyRate(16, 0)
    rate.restart(50_000, 10)
    expect(rate.isTooSlow(60_000, 10)).to.equal(false)
    expect(rate.isTooSlow(110_000, 970)).to.equal(false)
  })

  it('takes any rate at 0', () => {
    expect(new BodyRate(0, 0).isTooSlow(60_000, 0)).to.equal(false)
  })
})
