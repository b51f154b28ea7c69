import { expect } from 'chai'
import { messageOf, RamjetError } from '../../src/lib/errors.ts'

class ProbeError extends RamjetError {
  readonly code = 'RAMJET_PROBE'
}

describe('a RamjetError', () => {
  it('has code, name, message, cause and context', () => {
    const cause = new Error('below')
    const error = new ProbeError('it broke', { cause, context: { endpoint: '192.0.2.1:80', attempts: 2 } })
    expect(error).to.be.instanceOf(Error)
    expect(error).to.include({ name: 'ProbeError', message: 'it broke', code: 'RAMJET_PROBE', cause })
    expect(error.context).to.deep.equal({ endpoint: '192.0.2.1:80', attempts: 2 })
    expect(error.stack).to.include('errors.test.ts')
  })

  it('has an empty context and no cause where none is given', () => {
    const error = new ProbeError('it broke')
    expect(error.context).to.deep.equal({})
    expect(error.cause).to.equal(undefined)
  })
})

describe('messageOf', () => {
  for (const [thrown, want] of [
    [new ProbeError('it broke'), 'it broke'],
    ['text', 'text'],
    [undefined, 'undefined'],
    [null, 'null'],
    [7, '7'],
    [Symbol('s'), 'Symbol(s)'],
    [new AggregateError([new Error('refused at ::1'), 'refused']), 'refused at ::1, refused'],
    [new AggregateError([new Error('refused')], 'nobody there'), 'nobody there'],
  ] as const) {
    it(`of ${String(thrown)} is ${want}`, () => {
      expect(messageOf(thrown)).to.equal(want)
    })
  }
})
