import { expect } from 'chai'
import { BackendUnion } from '../../src/generations/backend-union.ts'
import { backend } from '../builders/route-table.ts'

describe('BackendUnion', () => {
  const a = new Map([['a', backend('a')]])
  const b = new Map([
    ['a', backend('a', { digest: 'other' })],
    ['b', backend('b')],
  ])

  it('is the very map where there is one', () => {
    expect(new BackendUnion().of([a])).to.equal(a)
    expect(new BackendUnion().of([a, a])).to.equal(a)
  })

  it('has every backend, of two with one name the first', () => {
    const union = new BackendUnion().of([a, b])
    expect([...union.keys()]).to.have.members(['a', 'b'])
    expect(union.get('a')).to.equal(a.get('a'))
  })

  it('is the same map until it is made of others', () => {
    const unions = new BackendUnion()
    const union = unions.of([a, b])
    expect(unions.of([a, b])).to.equal(union)
    expect(unions.of([b, a])).not.to.equal(union)
  })

  it('is empty where there is none', () => expect(new BackendUnion().of([])).to.have.property('size', 0))
})
