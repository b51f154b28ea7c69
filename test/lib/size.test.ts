import { expect } from 'chai'
import { parseSize } from '../../src/lib/size.ts'

describe('parseSize (R33-6)', () => {
  for (const [text, bytes] of [
    ['0', 0],
    ['512', 512],
    ['64k', 65_536],
    ['64K', 65_536],
    ['10m', 10_485_760],
    ['1g', 1_073_741_824],
    ['8388607g', 9_007_198_180_999_168],
  ] as const) {
    it(`reads ${text} as ${bytes} bytes`, () => {
      expect(parseSize(text)).to.deep.equal({ ok: true, value: bytes })
    })
  }

  for (const text of ['', 'k', '1kb', '1ki', '1 k', ' 1k', '-1k', '+1', '1.5m', '1e3', '0x10', '1t', '\u0661k']) {
    it(`refuses ${JSON.stringify(text)}`, () => {
      expect(parseSize(text)).to.have.property('ok', false)
    })
  }

  it('refuses what is beyond exact numbers', () => {
    expect(parseSize('8388608g')).to.deep.equal({ ok: false, error: 'less than 8388608g' })
    expect(parseSize('9999999999999999')).to.have.property('ok', false)
  })
})
