import { expect } from 'chai'
import { writtenOutLength } from '../../src/lib/regex-extent.ts'

const cases: readonly { readonly text: string; readonly length: number }[] = [
  { text: '', length: 0 },
  { text: '/abc', length: 4 },
  { text: 'x{5}', length: 5 },
  { text: 'x{2,5}', length: 5 },
  { text: 'x{3,}', length: 3 },
  { text: 'x{0}', length: 1 },
  { text: 'x{0,}', length: 1 },
  { text: 'ax{3}b', length: 5 },
  { text: '.*a.{100}c', length: 104 },
  { text: '(ab){3}', length: 12 },
  { text: '(?:ab){3}', length: 18 },
  { text: '((a{2}){3}){4}', length: 56 },
  { text: 'a|b{4}', length: 6 },
  { text: '[abc]{4}', length: 20 },
  { text: '[^]a]{2}', length: 10 },
  { text: '[a{9}]', length: 6 },
  { text: '[[:alpha:]]{2}', length: 22 },
  { text: '[\\]a]{2}', length: 10 },
  { text: '\\d{4}', length: 8 },
  { text: '\\pL{3}', length: 9 },
  { text: '\\p{Greek}{2}', length: 18 },
  { text: '\\x41{2}', length: 8 },
  { text: '\\x{10FFFF}{2}', length: 20 },
  { text: '\\123{2}', length: 8 },
  { text: '\\{9}', length: 4 },
  { text: '{5}', length: 0 },
  { text: 'a{,5}', length: 5 },
  { text: 'a{x}', length: 4 },
  { text: 'a{5', length: 3 },
  { text: '\\Qa{9}\\E', length: 8 },
  { text: '\\Qab\\E{3}', length: 8 },
  { text: 'a*?', length: 3 },
  { text: '(a*){3}', length: 12 },
  { text: '(((', length: 3 },
  { text: ')))', length: 3 },
  { text: '\\', length: 1 },
  { text: '[', length: 1 },
]

describe('writtenOutLength', () => {
  for (const { text, length } of cases) {
    it(`is ${length} for ${JSON.stringify(text)}`, () => {
      expect(writtenOutLength(text)).to.equal(length)
    })
  }

  it('is beyond every bound for counts beyond all numbers', () => {
    expect(writtenOutLength(`(a{${'9'.repeat(400)}}){9}`)).to.equal(Number.POSITIVE_INFINITY)
  })

  it('has a number for a pattern cut at every character', () => {
    const whole = '(?P<n>[[:alpha:]\\]]{2}|\\Qx{9}\\E{2}|\\p{Greek}{3,}|\\x{41}?){2,3}'
    for (let cut = 0; cut < whole.length; cut += 1) {
      expect(writtenOutLength(whole.slice(0, cut)))
        .to.be.at.least(0)
        .and.at.most(writtenOutLength(whole))
    }
  })
})
