import { expect } from 'chai'
import type { Term } from '../../src/runtime/leader-election.ts'
import { SoleWriter } from '../../src/runtime/sole-writer.ts'

describe('SoleWriter (R30-45)', () => {
  it('leads from the start to the end, and its term ends with it', async () => {
    const terms: Term[] = []
    const writer = new SoleWriter((term) => terms.push(term))
    expect(writer.mayWrite()).to.equal(false)
    const stop = new AbortController()
    const running = writer.run(stop.signal)
    expect([writer.isLeading, writer.mayWrite()]).to.deep.equal([true, true])
    expect(terms.map((term) => term.noted('ramjet.dev/configuration'))).to.deep.equal([undefined])
    stop.abort(new Error('over'))
    await running
    expect([writer.isLeading, writer.mayWrite(), terms[0]?.signal.aborted]).to.deep.equal([false, false, true])
  })
})
