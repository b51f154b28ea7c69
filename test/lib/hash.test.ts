import { expect } from 'chai'
import { hash32 } from '../../src/lib/hash.ts'

describe('hash32', () => {
  // Published values of FNV-1a with 32 bits.
  for (const [text, want] of [
    ['', 0x811c9dc5],
    ['a', 0xe40c292c],
    ['b', 0xe70c2de5],
    ['foobar', 0xbf9cf968],
  ] as const) {
    it(`of ${JSON.stringify(text)} is ${want.toString(16)}`, () => {
      expect(hash32(text)).to.equal(want)
    })
  }

  it('spreads names that differ by a number over 256 buckets', () => {
    const counts = Array.from({ length: 256 }, () => 0)
    for (let index = 0; index < 25_600; index += 1) {
      const bucket = hash32(`host shop-${index}.example`) % 256
      counts[bucket] = (counts[bucket] ?? 0) + 1
    }
    expect(Math.min(...counts)).to.be.above(50)
    expect(Math.max(...counts)).to.be.below(200)
  })
})
