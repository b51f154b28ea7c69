import { expect } from 'chai'
import { parseDuration } from '../../src/lib/duration.ts'

describe('parseDuration (R33-6)', () => {
  for (const [text, ms] of [
    ['0ms', 0],
    ['0s', 0],
    ['250ms', 250],
    ['10s', 10_000],
    ['1.5s', 1500],
    ['0.29s', 290],
    ['5m', 300_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['576h', 2_073_600_000],
    ['007s', 7000],
  ] as const) {
    it(`reads ${text} as ${ms} ms`, () => {
      expect(parseDuration(text)).to.deep.equal({ ok: true, value: ms })
      expect(parseDuration(text, { bareSeconds: true })).to.deep.equal({ ok: true, value: ms })
    })
  }

  for (const [text, says] of [
    ['', 'ms, s, m or h'],
    ['s', 'ms, s, m or h'],
    ['10', 'ms, s, m or h'],
    ['10 s', 'ms, s, m or h'],
    [' 10s', 'ms, s, m or h'],
    ['-1s', 'ms, s, m or h'],
    ['+1s', 'ms, s, m or h'],
    ['1e3s', 'ms, s, m or h'],
    ['1h30m', 'ms, s, m or h'],
    ['.5s', 'ms, s, m or h'],
    ['5.s', 'ms, s, m or h'],
    ['1d', 'ms, s, m or h'],
    ['10S', 'ms, s, m or h'],
    ['1us', 'ms, s, m or h'],
    ['\u0661s', 'ms, s, m or h'],
    ['1.5ms', 'whole milliseconds'],
    ['0.0001s', 'whole milliseconds'],
    ['577h', '24 days'],
    ['576.1h', '24 days'],
    ['999999999999h', '24 days'],
  ] as const) {
    it(`refuses ${JSON.stringify(text)}: ${says}`, () => {
      const parsed = parseDuration(text)
      expect(parsed.ok).to.equal(false)
      if (!parsed.ok) expect(parsed.error).to.include(says)
    })
  }

  it('takes bare seconds only where an earlier program did', () => {
    expect(parseDuration('15', { bareSeconds: true })).to.deep.equal({ ok: true, value: 15_000 })
    expect(parseDuration('0', { bareSeconds: true })).to.deep.equal({ ok: true, value: 0 })
    const refused = parseDuration('x', { bareSeconds: true })
    if (!refused.ok) expect(refused.error).to.include('or seconds')
    expect(refused.ok).to.equal(false)
  })
})
