import { expect } from 'chai'
import { bootstrapOfMedian, judgeMedian } from '../../bench/bootstrap.ts'

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

/** Figures spread evenly over [from, from + 1). */
function spread(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_figure, index) => from + index / count)
}

describe('the verdict on a median (R60-4)', () => {
  const cases = [
    { title: 'holds where the whole interval is below', figures: spread(0, 100), target: 0.9, want: 'holds' },
    { title: 'fails where the whole interval is above', figures: spread(1, 100), target: 0.9, want: 'fails' },
    { title: 'is undecided where it lies on both sides', figures: spread(0, 100), target: 0.5, want: 'undecided' },
    { title: 'is undecided by fewer than 100 pairs', figures: spread(0, 99), target: 0.9, want: 'undecided' },
  ]
  for (const { title, figures, target, want } of cases) {
    it(title, () => {
      expect(judgeMedian(figures, target, golden())).to.equal(want)
    })
  }
})
