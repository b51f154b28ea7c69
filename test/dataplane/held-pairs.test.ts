import { expect } from 'chai'
import type { ServedPair } from '../../src/dataplane/engine.ts'
import { HeldPairs } from '../../src/dataplane/held-pairs.ts'

function pairs(): { held: HeldPairs; unused: number[]; first: ServedPair; second: ServedPair } {
  const unused: number[] = []
  const held = new HeldPairs((sequence) => unused.push(sequence))
  // What a pair holds does not matter here, only which one it is.
  const [first, second] = [{} as ServedPair, {} as ServedPair]
  held.assigned(first, 1)
  return { held, unused, first, second }
}

describe('HeldPairs', () => {
  it('tells at once that a replaced pair which nobody holds is unused', () => {
    const { held, unused, first, second } = pairs()
    held.assigned(second, 2)
    held.replaced(first)
    expect(unused).to.deep.equal([1])
    expect(held.size).to.equal(1)
  })

  it('tells it when the last request that holds the pair lets go (R00-16)', () => {
    const { held, unused, first, second } = pairs()
    held.hold(first)
    held.hold(first)
    held.assigned(second, 2)
    held.replaced(first)
    held.release(first)
    expect(unused).to.deep.equal([])
    held.release(first)
    expect(unused).to.deep.equal([1])
  })

  it('never tells it of the pair that serves', () => {
    const { held, unused, first } = pairs()
    held.hold(first)
    held.release(first)
    expect(unused).to.deep.equal([])
    expect(held.size).to.equal(1)
  })
})
