import { expect } from 'chai'
import { LeftIngresses } from '../../src/controllers/left-ingresses.ts'

const exists = (key: string): boolean => key !== 'shop/gone'

describe('LeftIngresses (R30-38)', () => {
  let left: LeftIngresses
  const compiled = (...keys: readonly string[]): readonly string[] => left.compiled(new Set(keys), exists)

  beforeEach(() => {
    left = new LeftIngresses()
    compiled('shop/a', 'shop/b', 'shop/gone')
  })

  it('are those that were ours, are not any more, and are there still', () => {
    expect(compiled('shop/a')).to.deep.equal(['shop/b'])
    expect(['shop/a', 'shop/b', 'shop/gone'].map((key) => left.has(key))).to.deep.equal([false, true, false])
    expect(compiled('shop/a')).to.deep.equal([])
    expect(left.has('shop/b')).to.equal(true)
  })

  it('are none of them once they come back, or are deleted', () => {
    compiled('shop/a')
    compiled('shop/a', 'shop/b')
    expect(left.has('shop/b')).to.equal(false)
    compiled()
    left.gone('shop/a')
    expect(['shop/a', 'shop/b'].map((key) => left.has(key))).to.deep.equal([false, true])
  })
})
