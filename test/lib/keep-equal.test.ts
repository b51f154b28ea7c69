import { expect } from 'chai'
import { keepEqual } from '../../src/lib/keep-equal.ts'

describe('keepEqual', () => {
  const before = { policy: 'rr', retry: { on: ['connect'] } }

  it('gives the value that was there where the new one says the same', () => {
    expect(keepEqual(before, structuredClone(before))).to.equal(before)
  })

  it('gives the new one where it says something else, or there was none', () => {
    const after = { ...before, retry: { on: ['connect', '503'] } }
    expect(keepEqual(before, after)).to.equal(after)
    expect(keepEqual<unknown>(undefined, after)).to.equal(after)
    expect(keepEqual<unknown>(before, undefined)).to.equal(undefined)
  })
})
