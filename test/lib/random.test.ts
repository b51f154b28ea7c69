import { expect } from 'chai'
import { createRandom } from '../../src/lib/random.ts'

describe('createRandom', () => {
  it('gives the numbers of the published generator', () => {
    // Its first outputs from the state 1, 2, 3, 4.
    const random = createRandom(Uint32Array.of(1, 2, 3, 4))
    const [first, second] = [11_520, 0]
    expect(random()).to.equal(((first >>> 5) * 2 ** 26 + (second >>> 6)) / 2 ** 53)
    const [third, fourth] = [5_927_040, 70_819_200]
    expect(random()).to.equal(((third >>> 5) * 2 ** 26 + (fourth >>> 6)) / 2 ** 53)
  })

  it('gives the same points from the same seed, and leaves the seed as it was', () => {
    const seed = Uint32Array.of(7, 8, 9, 10)
    const one = createRandom(seed)
    const other = createRandom(seed)
    expect(Array.from({ length: 100 }, one)).to.deep.equal(Array.from({ length: 100 }, other))
  })

  it('spreads its points evenly over [0, 1)', () => {
    const random = createRandom(Uint32Array.of(1, 2, 3, 4))
    const counts = Array.from({ length: 16 }, () => 0)
    for (let turn = 0; turn < 160_000; turn += 1) {
      const at = Math.floor(random() * 16)
      counts[at] = (counts[at] ?? 0) + 1
    }
    for (const count of counts) expect(count).to.be.within(9600, 10_400)
  })
})
