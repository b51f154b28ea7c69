import { expect } from 'chai'
import { CheckVerdicts } from '../../src/dataplane/check-verdicts.ts'

const [A, B] = ['192.0.2.1:80', '192.0.2.2:80'] as const

describe('CheckVerdicts', () => {
  it('has what failed and is not well again, by backend', () => {
    const verdicts = new CheckVerdicts()
    expect(verdicts.has('web', A)).to.equal(false)
    verdicts.change([
      { backend: 'web', address: A, isFailed: true },
      { backend: 'web', address: B, isFailed: true },
      { backend: 'api', address: B, isFailed: true },
    ])
    verdicts.change([
      { backend: 'web', address: A, isFailed: false },
      { backend: 'api', address: B, isFailed: false },
      { backend: 'none', address: A, isFailed: false },
    ])
    const asked = [
      ['web', A],
      ['web', B],
      ['api', B],
      ['api', A],
    ] as const
    expect(asked.map(([backend, address]) => verdicts.has(backend, address))).to.deep.equal([false, true, false, false])
  })
})
