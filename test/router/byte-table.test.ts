import { expect } from 'chai'
import * as fc from 'fast-check'
import { ABSENT, ByteTable, hashWords, isByteText, wordsEnd } from '../../src/router/byte-table.ts'

function find(table: ByteTable, key: string, lead = ''): number {
  const bytes = Buffer.from(`${lead}${key}xyz`, 'latin1')
  return table.find(bytes, lead.length, lead.length + key.length)
}

describe('a byte table', () => {
  it('has no key at first', () => {
    const table = new ByteTable([], 1)
    for (const key of ['', 'a', 'abcd']) expect(find(table, key)).to.equal(ABSENT)
  })

  it('finds keys of every length modulo four, wherever they lie in the buffer', () => {
    const keys = Array.from({ length: 40 }, (_, length) => 'abcdefg/'.repeat(5).slice(0, length))
    const table = new ByteTable(keys, 7)
    for (const [value, key] of keys.entries()) {
      for (const lead of ['', '-', '--', '---']) expect(find(table, key, lead)).to.equal(value)
    }
  })

  it('tells a key from one that ends in zero bytes', () => {
    const table = new ByteTable(['ab', 'ab\0'], 7)
    expect(['ab', 'ab\0', 'ab\0\0', 'a'].map((key) => find(table, key))).to.deep.equal([0, 1, ABSENT, ABSENT])
  })

  it('does not take equal hashes for equal keys', () => {
    const table = new ByteTable(['abcd', 'zzzz'], 7)
    const hash = hashWords(7, Buffer.from('abcd'), 0, 4)
    expect(table.findHashed(Buffer.from('abcd'), 0, 4, hash)).to.equal(0)
    expect(table.findHashed(Buffer.from('abce'), 0, 4, hash)).to.equal(ABSENT)
    expect(table.findHashed(Buffer.from('zzzz'), 0, 4, hash)).to.equal(ABSENT)
  })

  it('equals a Map for random keys, seeds and requests', () => {
    const key = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'b', '/', '.', '\0', '\u00ff') })
    fc.assert(
      fc.property(fc.uniqueArray(key), fc.integer(), fc.array(key), (keys, seed, asked) => {
        const table = new ByteTable(keys, seed)
        for (const one of [...keys, ...asked]) expect(find(table, one, '/')).to.equal(keys.indexOf(one))
      }),
      { numRuns: 500 },
    )
  })

  it('goes on with the hash of the words of a shorter key', () => {
    const bytes = Buffer.from('/abc/def/ghi')
    const head = hashWords(3, bytes, 0, wordsEnd(0, 8))
    expect(hashWords(head, bytes, 8, 12)).to.equal(hashWords(3, bytes, 0, 12))
  })
})

describe('isByteText', () => {
  it('is false where a character is no byte', () => {
    expect(['', 'abc', '\u00ff', '\u0100', 'a\u20ac'].map(isByteText)).to.deep.equal([true, true, true, false, false])
  })
})
