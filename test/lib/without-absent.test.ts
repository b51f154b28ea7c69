import { expect } from 'chai'
import { withoutAbsent } from '../../src/lib/without-absent.ts'

describe('withoutAbsent', () => {
  it('leaves out what is undefined, and nothing else', () => {
    const record = withoutAbsent({ a: 1, b: undefined, c: '', d: 0, e: false })
    expect(record).to.deep.equal({ a: 1, c: '', d: 0, e: false })
    expect(Object.keys(record)).to.deep.equal(['a', 'c', 'd', 'e'])
  })
})
