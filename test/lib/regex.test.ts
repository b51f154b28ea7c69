import { expect } from 'chai'
import {
  compilePattern,
  compileProgram,
  MAX_CLASS_CHARS,
  MAX_PATTERN_CHARS,
  MAX_PATTERN_INSTRUCTIONS,
  MAX_WRITTEN_OUT_CHARS,
} from '../../src/lib/regex.ts'
import { MATCH } from '../../src/lib/regex-program.ts'

const taken: readonly string[] = [
  '',
  '/api(/|$)(.*)',
  '/[^/]+/v[0-9]{1,3}',
  '/(?P<lang>[a-z]{2})/x',
  '(?i)/a|b',
  '\\Q/a.b\\E',
  '/\\pL+',
  '[\\w\\x{4e00}-\\x{9fa5}]',
  '[^\\x{0}-\\x{10ffff}]',
  '/\u00fc',
]

const invalid: readonly { readonly text: string; readonly says: string }[] = [
  { text: 'a)|(b', says: 'unexpected )' },
  { text: '/a(', says: 'missing closing )' },
  { text: '/a)', says: 'unexpected )' },
  { text: '[a-', says: 'missing closing ]' },
  { text: '*', says: 'missing argument to repetition operator' },
  { text: '/a(?=b)', says: 'Perl syntax' },
  { text: '/a(?!b)', says: 'Perl syntax' },
  { text: '/(?<=a)b', says: 'invalid' },
  { text: '/(?<!a)b', says: 'invalid' },
  { text: '(a)\\1', says: 'invalid escape sequence' },
  { text: '(?P=name)', says: 'invalid' },
  { text: '/a{2,1}', says: 'invalid repeat count' },
  { text: '/\\', says: 'trailing backslash' },
]

const tooLarge: readonly { readonly title: string; readonly text: string; readonly says: string }[] = [
  { title: '513 characters', text: `/${'a'.repeat(MAX_PATTERN_CHARS)}`, says: `${MAX_PATTERN_CHARS} characters` },
  { title: 'a repetition of 2,001', text: 'a{2001}', says: `${MAX_WRITTEN_OUT_CHARS} characters` },
  { title: 'nested repetitions', text: '((a{99}){99}){99}', says: `${MAX_WRITTEN_OUT_CHARS} characters` },
  { title: 'a count beyond all numbers', text: `a{${'9'.repeat(400)}}`, says: `${MAX_WRITTEN_OUT_CHARS} characters` },
  { title: 'a class of most characters', text: '/[k-\\x{10ffff}]', says: `${MAX_CLASS_CHARS} characters` },
  { title: 'nine Unicode classes', text: '\\pL'.repeat(9), says: `${MAX_CLASS_CHARS} characters` },
  { title: '600 instructions', text: 'a{600}', says: `${MAX_PATTERN_INSTRUCTIONS} instructions` },
]

describe('compilePattern', () => {
  for (const text of taken) {
    it(`takes ${JSON.stringify(text)}`, () => {
      const compiled = compilePattern(text)
      expect(compiled).to.have.nested.property('value.text', text)
      expect(compiled).to.have.nested.property('value.instructions').within(2, MAX_PATTERN_INSTRUCTIONS)
    })
  }

  for (const { text, says } of invalid) {
    it(`calls ${JSON.stringify(text)} invalid (R10-22)`, () => {
      const compiled = compilePattern(text)
      expect(compiled).to.have.nested.property('error.kind', 'invalid')
      expect(compiled).to.have.nested.property('error.message').that.includes(says)
    })
  }

  for (const { title, text, says } of tooLarge) {
    it(`finds ${title} too large (R10-23)`, () => {
      const compiled = compilePattern(text)
      expect(compiled).to.have.nested.property('error.kind', 'too-large')
      expect(compiled).to.have.nested.property('error.message').that.includes(says)
    })
  }

  it('takes 512 characters', () => {
    expect(compilePattern(`/${'[abc]'.repeat(102)}a`).ok).to.equal(true)
  })

  it('has an answer for a pattern cut at every character', () => {
    const whole = '/(?P<a>[[:alpha:]\\]]+)\\x{41}\\pL{2,3}(?:b|\\Qc\\E*?)$'
    for (let cut = 0; cut <= whole.length; cut += 1) {
      const compiled = compilePattern(whole.slice(0, cut))
      if (!compiled.ok) expect(compiled.error.kind).to.equal('invalid')
    }
    expect(compilePattern(whole).ok).to.equal(true)
  })
})

describe('compileProgram', () => {
  it('knows the pattern of each instruction but those that try them all', () => {
    const { op, arg, pattern } = compileProgram(['/a', '/b|/c', ''])
    const matches = [...op.keys()].filter((at) => op[at] === MATCH)
    expect(matches.map((at) => arg[at])).to.deep.equal([0, 1, 2])
    expect(matches.map((at) => pattern[at])).to.deep.equal([0, 1, 2])
    expect(Array.from(pattern).slice((matches[2] ?? 0) + 1)).to.deep.equal([-1, -1])
  })

  it('keeps the number of a text that does not compile', () => {
    const { op, arg } = compileProgram(['/a(', '/b'])
    expect([...op.keys()].filter((at) => op[at] === MATCH).map((at) => arg[at])).to.deep.equal([0, 1])
  })

  it('has an instruction at least for what a pattern was counted for', () => {
    const texts = ['/api(/|$)(.*)', '/[a-z]{2}/x', '/.*a.{20}']
    const counted = texts.map((text) => compilePattern(text)).map((one) => (one.ok ? one.value.instructions : 0))
    const sum = counted.reduce((total, one) => total + one, 0)
    expect(compileProgram(texts).op.length).to.be.at.most(sum)
  })
})
