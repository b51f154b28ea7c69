import { expect } from 'chai'
import { ApiStatusError, ApiUnreachableError } from '../../src/runtime/api-errors.ts'
import { isOlderVersion, troubleOf } from '../../src/runtime/trouble.ts'

function refused(status: number, causes: readonly string[] = [], retryAfterMs = 0): ApiStatusError {
  return new ApiStatusError('refused', { status, reason: '', retryAfterMs, causes })
}

describe('troubleOf', () => {
  const cases = [
    { name: '410', error: refused(410), want: { kind: 'expired', backwards: false } },
    { name: '400', error: refused(400), want: { kind: 'expired', backwards: false } },
    {
      name: 'a version from the future',
      error: refused(504, ['ResourceVersionTooLarge']),
      want: { kind: 'expired', backwards: true },
    },
    { name: '403', error: refused(403), want: { kind: 'forbidden' } },
    { name: '404', error: refused(404), want: { kind: 'absent' } },
    { name: '429', error: refused(429, [], 5000), want: { kind: 'passing', retryAfterMs: 5000 } },
    { name: '500', error: refused(500), want: { kind: 'passing', retryAfterMs: 0 } },
    { name: 'a cut', error: new ApiUnreachableError('cut'), want: { kind: 'passing', retryAfterMs: 0 } },
    { name: 'anything else', error: new TypeError('oops'), want: { kind: 'passing', retryAfterMs: 0 } },
  ]
  for (const { name, error, want } of cases) {
    it(`takes ${name} for ${want.kind}`, () => {
      expect(troubleOf(error)).to.deep.equal(want)
    })
  }
})

describe('isOlderVersion', () => {
  it('compares numbers of any length, and nothing that is none', () => {
    expect(isOlderVersion('9', '10')).to.equal(true)
    expect(isOlderVersion('10', '9')).to.equal(false)
    expect(isOlderVersion('10', '10')).to.equal(false)
    expect(isOlderVersion('9007199254740992', '9007199254740993')).to.equal(true)
    expect(isOlderVersion('a9', 'b1')).to.equal(false)
  })
})
