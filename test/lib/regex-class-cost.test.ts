import { expect } from 'chai'
import { classCost } from '../../src/lib/regex-class-cost.ts'

const UNICODE_CLASS = 4096

const cases: readonly { readonly text: string; readonly cost: number }[] = [
  { text: '', cost: 0 },
  { text: '/api/(.*)', cost: 0 },
  { text: '[abc]', cost: 3 },
  { text: '[a-z]', cost: 26 },
  { text: '[^a-z0-9]', cost: 27 },
  { text: '[a-z][A-Z]', cost: 52 },
  { text: '[[:alpha:]x]', cost: 2 },
  { text: '[]-z]', cost: 30 },
  { text: '[^]]', cost: 1 },
  { text: '[a\\]-z]', cost: 31 },
  { text: '[\\x41-\\x5a]', cost: 26 },
  { text: '[\\101-\\132]', cost: 26 },
  { text: '[\\x{4e00}-\\x{9fa5}]', cost: 20_902 },
  { text: '[\u4e00-\u9fa5]', cost: 20_902 },
  { text: '[k-\\x{10ffff}]', cost: 125_145 },
  { text: '[k-\u{1e943}]', cost: 125_145 },
  { text: '[\\x{0}-\\x{10ffff}]', cost: 1 },
  { text: '[\\x{1f000}-\\x{10ffff}]', cost: 1 },
  { text: '\\pL', cost: UNICODE_CLASS },
  { text: '\\PN', cost: UNICODE_CLASS },
  { text: '\\p{Greek}+', cost: UNICODE_CLASS },
  { text: '[^\\p{Greek}\\PNa]', cost: 2 * UNICODE_CLASS + 1 },
  { text: '\\\\pL', cost: 0 },
  { text: '\\[a-z]', cost: 0 },
  { text: '\\Q[a-z]\\pL\\E[ab]', cost: 2 },
  { text: '\\Q[a-z]', cost: 0 },
  { text: '[a-', cost: 2 },
  { text: '[', cost: 0 },
  { text: '\\', cost: 0 },
  { text: '\\p', cost: UNICODE_CLASS },
]

describe('classCost', () => {
  for (const { text, cost } of cases) {
    it(`is ${cost} for ${JSON.stringify(text)}`, () => {
      expect(classCost(text)).to.equal(cost)
    })
  }

  it('has a number for a pattern cut at every character', () => {
    const whole = '/[^]a-z\\]\\p{Greek}[:^word:]\\x{41}-\\x{5a}]\\PL\\Q[\\E[k-\u{1f600}]\\'
    for (let cut = 0; cut <= whole.length; cut += 1) expect(classCost(whole.slice(0, cut))).to.be.within(0, 200_000)
  })
})
