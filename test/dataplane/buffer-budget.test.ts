import { expect } from 'chai'
import { BufferBudget } from '../../src/dataplane/buffer-budget.ts'
import { FakeCounters } from '../fakes/counters.ts'

describe('BufferBudget', () => {
  it('R20-126: is tight from 80 % and spent from 100 %, over all accounts', () => {
    const budget = new BufferBudget(1000, new FakeCounters())
    const [one, other] = [budget.open(), budget.open()]
    const steps = [
      [799, 0],
      [700, 100],
      [700, 299],
      [700, 300],
      [0, 300],
    ] as const
    expect(
      steps.map(([ofOne, ofOther]) => {
        one.set(ofOne)
        other.set(ofOther)
        return [budget.isTight, budget.isSpent]
      }),
    ).to.deep.equal([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
      [false, false],
    ])
  })

  it('shows what is in use, and nothing when every account is empty', () => {
    const counters = new FakeCounters()
    const budget = new BufferBudget(1000, counters)
    const [one, other] = [budget.open(), budget.open()]
    one.set(10)
    other.set(5)
    one.set(7)
    expect(counters.process('bufferedBytes')).to.equal(12)
    one.set(0)
    other.set(0)
    expect(counters.process('bufferedBytes')).to.equal(0)
  })
})
