import { expect } from 'chai'
import { hasSameItems } from '../../src/lib/same-items.ts'

describe('hasSameItems', () => {
  const one = { name: 'one' }
  const cases = [
    { title: 'nothing and nothing', a: [], b: [], want: true },
    { title: 'the very same items', a: [one, 2], b: [one, 2], want: true },
    { title: 'equal items that are others', a: [one], b: [{ ...one }], want: false },
    { title: 'another order', a: [1, 2], b: [2, 1], want: false },
    { title: 'more of them', a: [1], b: [1, 2], want: false },
    { title: 'fewer of them', a: [1, 2], b: [1], want: false },
  ]
  for (const { title, a, b, want } of cases) {
    it(`says ${want} of ${title}`, () => {
      expect(hasSameItems<unknown>(a, b)).to.equal(want)
    })
  }
})
