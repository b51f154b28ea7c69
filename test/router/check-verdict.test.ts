import { expect } from 'chai'
import * as fc from 'fast-check'
import { afterCheck, type CheckVerdict, UNCHECKED } from '../../src/router/check-verdict.ts'

const DEFAULTS = { healthy: 1, unhealthy: 3 }

/** `+` a good check, `-` a bad one; after each `F` for failed, `.` for not. */
function run(checks: string, thresholds = DEFAULTS): string {
  let verdict: CheckVerdict = UNCHECKED
  const seen = checks.split('').map((check) => {
    verdict = afterCheck(verdict, check === '+', thresholds)
    return verdict.isFailed ? 'F' : '.'
  })
  return seen.join('')
}

describe('the verdict of checks', () => {
  for (const [checks, want] of [
    ['+++', '...'],
    ['---', '..F'],
    ['--+--', '.....'],
    ['----+', '..FF.'],
    ['---+-', '..F..'],
    ['---+---', '..F...F'],
  ] as const) {
    it(`R20-150: fails after three bad ones in a row, and is well after a good one: ${checks}`, () => {
      expect(run(checks)).to.equal(want)
    })
  }

  it('R20-150: takes as many as are asked for', () => {
    expect(run('-+++-', { healthy: 3, unhealthy: 1 })).to.equal('FFF.F')
    expect(run('-++-+++', { healthy: 3, unhealthy: 1 })).to.equal('FFFFFF.')
  })

  it('turns only where the last checks all say so, for any thresholds', () => {
    const threshold = fc.integer({ min: 1, max: 5 })
    fc.assert(
      fc.property(fc.array(fc.boolean()), threshold, threshold, (checks, healthy, unhealthy) => {
        const text = checks.map((isGood) => (isGood ? '+' : '-')).join('')
        const seen = `.${run(text, { healthy, unhealthy })}`
        for (let at = 1; at < seen.length; at += 1) {
          if (seen[at] === seen[at - 1]) continue
          const [count, sign] = seen[at] === 'F' ? [unhealthy, '-'] : [healthy, '+']
          expect(text.slice(Math.max(0, at - count), at)).to.equal(sign?.repeat(count))
        }
      }),
    )
  })
})
