import { expect } from 'chai'
import { runInSlices, SLICE_MS } from '../../src/dataplane/slices.ts'
import { runSteps, type Steps } from '../../src/lib/steps.ts'
import { FakeClock } from '../fakes/clock.ts'

describe('work in slices', () => {
  let clock: FakeClock
  let done: string[]

  beforeEach(() => {
    clock = new FakeClock()
    done = []
  })

  /** Steps that take so long each. */
  function* stepsOf(...lengths: readonly number[]): Steps<string> {
    for (const ms of lengths) {
      clock.advance(ms)
      done.push(`${ms}`)
      yield
    }
    return 'result'
  }

  const turn = (): Promise<void> => {
    done.push('turn')
    return Promise.resolve()
  }

  it('lets the event loop turn before each of them, and none is much longer than its time', async () => {
    const steps = stepsOf(0.5, 0.5, 0.5, 0.5, 7, 0.1)
    expect(await runInSlices(steps, { clock, turn })).to.equal('result')
    expect(done.join(' ')).to.equal('turn 0.5 0.5 0.5 0.5 turn 7 turn 0.1')
    expect(SLICE_MS).to.equal(2)
  })

  it('rejects with what a step throws', async () => {
    const outcome = await runInSlices(broken(), { clock, turn }).catch((error: unknown) => error)
    expect(outcome).to.be.an('error').with.property('message', 'broken')
  })

  it('comes to the same without slices', () => {
    expect(runSteps(stepsOf(3, 4))).to.equal('result')
  })
})

function* broken(): Steps<string> {
  yield
  throw new Error('broken')
}
