import { expect } from 'chai'
import { capturesOf, compilePattern, MAX_CAPTURE_WORK, type Pattern } from '../../src/lib/regex.ts'

function patternOf(text: string): Pattern {
  const pattern = compilePattern(text)
  if (!pattern.ok) throw new Error(pattern.error.message)
  return pattern.value
}

describe('captures of a pattern (R10-23)', () => {
  it('are what its groups took, 0 the whole, and empty where a group took no part', () => {
    expect(capturesOf('/(a)|/(b)(c?)').read('/bcd')).to.deep.equal(['/bc', '', 'b', 'c'])
  })

  it('R10-20: are read without regard to case, from the start', () => {
    expect(capturesOf('/a(.)').read('/AbA')).to.deep.equal(['/Ab', 'b'])
    expect(capturesOf('a(.)').read('/ab')).to.equal(undefined)
  })

  it('R10-25: have the anchor bind every branch', () => {
    expect(capturesOf('/a|b(.)').read('/xbc')).to.equal(undefined)
  })

  it('are not read where that costs more than the bound', () => {
    const pattern = patternOf('/(a*)*b?')
    const most = Math.floor(MAX_CAPTURE_WORK / pattern.instructions)
    const captures = capturesOf(pattern.text)
    expect(captures.read(`/${'a'.repeat(most - 1)}`)).to.have.length(2)
    expect(captures.read(`/${'a'.repeat(most)}`)).to.equal(undefined)
  })

  it('of a text that is no pattern there are none', () => {
    expect(capturesOf('/(a').read('/a')).to.equal(undefined)
  })

  it('are numbered and named when the pattern is taken', () => {
    const { groups, names } = patternOf('/(?P<kind>\\w+)/(?:x|y)/(?<id>\\d+)/(.*)')
    expect(groups).to.equal(3)
    expect([...names]).to.deep.equal([
      ['kind', 1],
      ['id', 2],
    ])
  })
})
