import { expect } from 'chai'
import { err, ok } from '../../src/lib/result.ts'

describe('a result', () => {
  it('is a value or an error', () => {
    expect(ok(1)).to.deep.equal({ ok: true, value: 1 })
    expect(err('no')).to.deep.equal({ ok: false, error: 'no' })
  })
})
