import { expect } from 'chai'
import { parseStatusRanges } from '../../src/lib/status-ranges.ts'

const good = [
  ['200-399', [[200, 399]]],
  ['204', [[204, 204]]],
  ['100-599', [[100, 599]]],
  [
    '200,204-204,300-399',
    [
      [200, 200],
      [204, 204],
      [300, 399],
    ],
  ],
] as const

const bad = [
  '',
  '99',
  '600',
  '20',
  '2000',
  '200-',
  '-200',
  '399-200',
  '200-600',
  '200,',
  ',200',
  '200 - 300',
  '2xx',
  '200,'.repeat(40),
]

describe('parseStatusRanges', () => {
  for (const [text, ranges] of good) {
    it(`reads ${text}`, () => {
      expect(parseStatusRanges(text)).to.deep.equal({ ok: true, value: ranges })
    })
  }

  for (const text of bad) {
    it(`refuses ${JSON.stringify(text.slice(0, 20))}`, () => {
      expect(parseStatusRanges(text)).to.have.property('error').that.contains('statuses from 100 to 599')
    })
  }
})
