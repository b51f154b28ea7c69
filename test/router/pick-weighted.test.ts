import { expect } from 'chai'
import * as fc from 'fast-check'
import { pickWeighted } from '../../src/router/pick-weighted.ts'

const shared = [
  { backend: 'a', weight: 1 },
  { backend: 'drained', weight: 0 },
  { backend: 'b', weight: 3 },
]

describe('pickWeighted', () => {
  for (const { point, want } of [
    { point: 0, want: 'a' },
    { point: 0.2499, want: 'a' },
    { point: 0.25, want: 'b' },
    { point: 1 - 2 ** -53, want: 'b' },
  ]) {
    it(`picks ${want} at ${point}`, () => {
      expect(pickWeighted(shared, point)?.backend).to.equal(want)
    })
  }

  it('picks nothing where nothing has a weight', () => {
    expect(pickWeighted([], 0)).to.equal(undefined)
    expect(pickWeighted([{ backend: 'a', weight: 0 }], 0.5)).to.equal(undefined)
  })

  it('never picks a weight of zero, and something wherever there is a weight', () => {
    const weights = fc.array(fc.nat(1_000_000), { minLength: 1, maxLength: 8 })
    const point = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(weights, point, (list, at) => {
        const picked = pickWeighted(
          list.map((weight, index) => ({ backend: `b${index}`, weight })),
          at,
        )
        if (list.some((weight) => weight > 0)) expect(picked?.weight).to.be.above(0)
        else expect(picked).to.equal(undefined)
      }),
    )
  })
})
