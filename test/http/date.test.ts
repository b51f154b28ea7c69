import { expect } from 'chai'
import { httpDate } from '../../src/http/date.ts'

describe('httpDate', () => {
  for (const { ms, want } of [
    { ms: 784_111_777_000, want: 'Sun, 06 Nov 1994 08:49:37 GMT' },
    { ms: 0, want: 'Thu, 01 Jan 1970 00:00:00 GMT' },
  ]) {
    it(`writes ${ms} as ${want}`, () => {
      expect(httpDate(ms)).to.equal(want)
    })
  }
})
