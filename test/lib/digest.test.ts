import { expect } from 'chai'
import { digestOf } from '../../src/lib/digest.ts'

describe('digestOf', () => {
  // The first half of the published SHA-256 values.
  for (const [text, want] of [
    ['', 'e3b0c44298fc1c149afbf4c8996fb924'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223'],
  ] as const) {
    it(`of ${JSON.stringify(text)} is SHA-256 cut to 128 bits`, () => {
      expect(digestOf(text)).to.equal(want)
    })
  }

  it('reads text as UTF-8', () => {
    expect(digestOf('\u00e9')).to.equal(digestOf(Buffer.from([0xc3, 0xa9]).toString('utf8')))
    expect(digestOf('\u00e9')).to.equal('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c'.slice(0, 32))
  })
})
