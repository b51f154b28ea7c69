import { expect } from 'chai'
import { contentChanged } from '../../src/runtime/predicate.ts'

function object(
  version: string,
  host: string,
  uid = 'u1',
  generation = 1,
): Parameters<typeof contentChanged>[0]['object'] & { host: string } {
  const metadata = { name: 'web', namespace: 'shop', uid, resourceVersion: version, generation, creationTimestamp: '' }
  return { metadata, host }
}

describe('contentChanged', () => {
  it('passes additions and removals', () => {
    expect(contentChanged({ type: 'added', object: object('1', 'a.example') })).to.equal(true)
    expect(contentChanged({ type: 'deleted', object: object('1', 'a.example') })).to.equal(true)
  })

  it('turns down an update that left nothing but another version', () => {
    const before = object('1', 'a.example')
    expect(contentChanged({ type: 'updated', before, object: object('2', 'a.example', 'u1', 2) })).to.equal(false)
  })

  it('passes an update of what is kept', () => {
    const before = object('1', 'a.example')
    expect(contentChanged({ type: 'updated', before, object: object('2', 'b.example') })).to.equal(true)
  })
})
