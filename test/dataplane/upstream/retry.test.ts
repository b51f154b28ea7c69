import { expect } from 'chai'
import { RetryBuffer } from '../../../src/dataplane/upstream/retry.ts'

describe('RetryBuffer (R20-117)', () => {
  it('keeps what fits, in order', () => {
    const kept = new RetryBuffer(6)
    kept.keep(Buffer.from('abc'))
    kept.keep(Buffer.from('def'))
    expect(kept.isWhole).to.equal(true)
    expect(Buffer.concat(kept.chunks).toString()).to.equal('abcdef')
  })

  it('lets go of all of it with the first byte too many, for good', () => {
    const kept = new RetryBuffer(6)
    kept.keep(Buffer.from('abcdef'))
    kept.keep(Buffer.from('g'))
    kept.keep(Buffer.from('h'))
    expect(kept.isWhole).to.equal(false)
    expect(kept.chunks).to.deep.equal([])
  })
})
