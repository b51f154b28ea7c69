import { expect } from 'chai'
import { fieldBytes, HeaderIndex, listTokens, trimBlanks } from '../../src/http/header-list.ts'

describe('HeaderIndex', () => {
  const index = new HeaderIndex(['Host', 'a.example', 'X-a', '1', 'x-A', '2', '__proto__', 'p'])

  it('finds fields by their name in lower case, in order', () => {
    expect(index.values('x-a')).to.deep.equal(['1', '2'])
    expect(index.has('host')).to.equal(true)
  })

  it('finds no field that is not there, whatever objects are made of', () => {
    expect(index.values('x-b')).to.deep.equal([])
    expect(index.has('constructor')).to.equal(false)
    expect(index.values('__proto__')).to.deep.equal(['p'])
  })

  it('of an empty list holds nothing', () => {
    expect(new HeaderIndex([]).names).to.deep.equal([])
  })
})

describe('listTokens', () => {
  for (const { values, want } of [
    { values: [], want: [] },
    { values: ['close'], want: ['close'] },
    { values: ['Keep-Alive ,\tX-A'], want: ['keep-alive', 'x-a'] },
    { values: ['a,,b', ' , ', 'C'], want: ['a', 'b', 'c'] },
  ]) {
    it(`of ${JSON.stringify(values)} are ${JSON.stringify(want)}`, () => {
      expect(listTokens(values)).to.deep.equal(want)
    })
  }
})

describe('trimBlanks', () => {
  for (const { text, want } of [
    { text: '', want: '' },
    { text: ' \t', want: '' },
    { text: '\t a b \t', want: 'a b' },
    { text: '\u00a0a\u000b', want: '\u00a0a\u000b' },
  ]) {
    it(`${JSON.stringify(text)} becomes ${JSON.stringify(want)}`, () => {
      expect(trimBlanks(text)).to.equal(want)
    })
  }
})

describe('fieldBytes', () => {
  it('counts what stands on the lines', () => {
    expect(fieldBytes(['Host', 'a', 'X', ''])).to.equal('Host: a\r\nX: \r\n'.length)
  })
})
