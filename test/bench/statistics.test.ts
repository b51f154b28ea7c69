import { expect } from 'chai'
import { limitText, median, quantile, threeFigures } from '../../bench/statistics.ts'
import { tableText } from '../../bench/table-text.ts'

describe('quantile', () => {
  const cases = [
    { figures: [3, 1, 2], point: 0.5, want: 2 },
    { figures: [1, 2], point: 0.5, want: 1.5 },
    { figures: [4, 1, 3, 2, 5], point: 0, want: 1 },
    { figures: [4, 1, 3, 2, 5], point: 1, want: 5 },
    { figures: [0, 10], point: 0.95, want: 9.5 },
  ]
  for (const { figures, point, want } of cases) {
    it(`${point} of ${figures.join(', ')} is ${want}`, () => {
      expect(quantile(figures, point)).to.equal(want)
    })
  }

  it('of nothing is no number', () => {
    expect(Number.isNaN(median([]))).to.equal(true)
  })

  it('leaves the figures in their order', () => {
    const figures = [3, 1, 2]
    median(figures)
    expect(figures).to.deep.equal([3, 1, 2])
  })
})

describe('threeFigures', () => {
  const cases: readonly (readonly [number, string])[] = [
    [1234.5, '1,235'],
    [99.94, '99.9'],
    [1.234, '1.23'],
    [0.12345, '0.123'],
    [Number.NaN, '-'],
  ]
  for (const [value, want] of cases) {
    it(`writes ${value} as ${want}`, () => {
      expect(threeFigures(value)).to.equal(want)
    })
  }
})

describe('limitText', () => {
  const cases: readonly (readonly [number, string])[] = [
    [0, '0'],
    [0.9, '0.9'],
    [1 / 0.98, '1.02'],
    [300, '300'],
    [2000, '2,000'],
  ]
  for (const [value, want] of cases) {
    it(`writes ${value} as ${want}`, () => {
      expect(limitText(value)).to.equal(want)
    })
  }
})

describe('tableText', () => {
  it('aligns names to the left and figures to the right', () => {
    const rows = [
      ['ten', '1'],
      ['a hundred', '1,000'],
    ]
    expect(tableText({ title: 'T', heads: ['routes', 'ns'], rows }).split('\n')).to.deep.equal([
      'T',
      '',
      'routes        ns',
      '---------  -----',
      'ten            1',
      'a hundred  1,000',
    ])
  })
})
