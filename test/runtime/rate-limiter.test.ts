import { expect } from 'chai'
import { RateLimiter } from '../../src/runtime/rate-limiter.ts'

describe('RateLimiter', () => {
  it('doubles the wait of a key with every failure in a row, up to the longest', () => {
    const limiter = new RateLimiter({ minMs: 100, maxMs: 1000 })
    expect([1, 2, 3, 4, 5, 6].map(() => limiter.next('a'))).to.deep.equal([100, 200, 400, 800, 1000, 1000])
  })

  it('counts each key alone', () => {
    const limiter = new RateLimiter({ minMs: 100, maxMs: 1000 })
    limiter.next('a')
    expect(limiter.next('b')).to.equal(100)
  })

  it('begins anew for a key that was forgotten', () => {
    const limiter = new RateLimiter({ minMs: 100, maxMs: 1000 })
    limiter.next('a')
    limiter.forget('a')
    expect(limiter.failures('a')).to.equal(0)
    expect(limiter.next('a')).to.equal(100)
  })

  it('has no wait longer than the longest after a thousand failures', () => {
    const limiter = new RateLimiter({ minMs: 100, maxMs: 1000 })
    for (let failure = 0; failure < 2000; failure += 1) limiter.next('a')
    expect(limiter.next('a')).to.equal(1000)
  })
})
