import { expect } from 'chai'
import { RESTART_POLICY, RestartBudget } from '../../src/dataplane/restart-budget.ts'

describe('RestartBudget', () => {
  it('doubles the wait from 0.1 s and is spent by the fifth death in 60 s (R70-123)', () => {
    const budget = new RestartBudget(RESTART_POLICY)
    const verdicts = [0, 1_000, 2_000, 3_000, 59_999].map((nowMs) => budget.died(nowMs))
    expect(verdicts).to.deep.equal([
      { kind: 'restart', delayMs: 100 },
      { kind: 'restart', delayMs: 200 },
      { kind: 'restart', delayMs: 400 },
      { kind: 'restart', delayMs: 800 },
      { kind: 'spent' },
    ])
  })

  it('forgets deaths that are 60 s old', () => {
    const budget = new RestartBudget(RESTART_POLICY)
    for (const nowMs of [0, 1_000, 2_000, 3_000]) budget.died(nowMs)
    expect(budget.died(60_000)).to.deep.equal({ kind: 'restart', delayMs: 800 })
    expect(budget.died(200_000)).to.deep.equal({ kind: 'restart', delayMs: 100 })
  })

  it('never waits longer than the policy says', () => {
    const budget = new RestartBudget({ ...RESTART_POLICY, budget: 100 })
    let delayMs = 0
    for (let death = 0; death < 20; death += 1) {
      const verdict = budget.died(death)
      if (verdict.kind === 'restart') delayMs = verdict.delayMs
    }
    expect(delayMs).to.equal(10_000)
  })
})
