import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../src/dataplane/engine-limits.ts'
import { isBodyTooLarge, RouteLimitBook } from '../../src/dataplane/route-limits.ts'
import { DEFAULT_RETRY } from '../../src/router/retry-rule.ts'

const BOOK = new RouteLimitBook({ ...DEFAULT_LIMITS, connectTimeoutMs: 5000, responseTimeoutMs: 60_000 })

describe('RouteLimitBook', () => {
  it('R20-119: a route that says nothing has the limits of the process', () => {
    const limits = BOOK.of(undefined)
    expect(limits).to.include({ connectTimeoutMs: 5000, responseTimeoutMs: 60_000, upstreamSendTimeoutMs: 60_000 })
    expect(limits.requestBufferBytes).to.equal(0)
    expect(limits.retry).to.equal(DEFAULT_RETRY)
  })

  it('R20-119: what a route says stands over them, one by one', () => {
    const limits = BOOK.of({ responseTimeoutMs: 7, maxBodyBytes: 9, rewrite: { replaces: 'whole', template: ['/'] } })
    expect(limits).to.deep.equal({ ...BOOK.of(undefined), responseTimeoutMs: 7, maxBodyBytes: 9 })
  })

  it('R11-72: a smaller response head is no limit', () => {
    const own = DEFAULT_LIMITS.maxResponseHeaderBytes
    expect(BOOK.of({ maxResponseHeaderBytes: own - 1 }).maxResponseHeaderBytes).to.equal(own)
    expect(BOOK.of({ maxResponseHeaderBytes: own + 1 }).maxResponseHeaderBytes).to.equal(own + 1)
  })

  it('works a policy out once', () => {
    const policy = { maxBodyBytes: 1 }
    expect(BOOK.of(policy)).to.equal(BOOK.of(policy))
  })
})

describe('isBodyTooLarge (R20-95)', () => {
  it('goes by the announced length, and 0 is no limit', () => {
    const ten = { kind: 'length', bytes: 10 } as const
    expect(isBodyTooLarge(ten, { maxBodyBytes: 9 })).to.equal(true)
    expect(isBodyTooLarge(ten, { maxBodyBytes: 10 })).to.equal(false)
    expect(isBodyTooLarge(ten, { maxBodyBytes: 0 })).to.equal(false)
    expect(isBodyTooLarge({ kind: 'chunked' }, { maxBodyBytes: 1 })).to.equal(false)
  })
})
