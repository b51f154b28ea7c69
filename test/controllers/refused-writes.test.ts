import { expect } from 'chai'
import { RefusedWrites } from '../../src/controllers/refused-writes.ts'

describe('RefusedWrites', () => {
  let refused: RefusedWrites
  const isRefused = (version: string): readonly boolean[] =>
    ['object', 'status'].map((target) => refused.has('shop/a', version, target))

  beforeEach(() => {
    refused = new RefusedWrites()
    refused.add('shop/a', '10', ['object'])
  })

  it('holds for that object, version and target alone', () => {
    expect(isRefused('10')).to.deep.equal([true, false])
    expect(isRefused('11')).to.deep.equal([false, false])
    expect(refused.has('shop/b', '10', 'object')).to.equal(false)
  })

  it('adds up for one version, and begins anew with the next', () => {
    refused.add('shop/a', '10', ['status'])
    expect(isRefused('10')).to.deep.equal([true, true])
    refused.add('shop/a', '11', ['status'])
    expect(isRefused('11')).to.deep.equal([false, true])
    expect(isRefused('10')).to.deep.equal([false, false])
  })

  it('is over with the object', () => {
    refused.forget('shop/a')
    expect(isRefused('10')).to.deep.equal([false, false])
  })
})
