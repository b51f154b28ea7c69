import { expect } from 'chai'
import { bootstrapOfMedian } from '../../bench/bootstrap.ts'

/** A fixed sequence that fills [0, 1) evenly. */
function golden(): () => number {
  let at = 0
  return () => {
    at = (at + 0.618_033_988_749_895) % 1
    return at
  }
}

describe('the bootstrap interval of a median', () => {
  it('is one point where all figures are alike', () => {
    expect(bootstrapOfMedian([1, 1, 1], golden())).to.deep.equal({ lower: 1, upper: 1 })
  })

  it('lies around the median and within the figures', () => {
    const figures = Array.from({ length: 101 }, (_figure, index) => index)
    const { lower, upper } = bootstrapOfMedian(figures, golden())
    expect(lower).to.be.within(30, 50)
    expect(upper).to.be.within(50, 70)
  })
})
