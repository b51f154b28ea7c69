import { expect } from 'chai'
import { hexDigit } from '../../src/lib/hex-digit.ts'

describe('a hexadecimal digit', () => {
  it('is read as Node reads it, of every byte', () => {
    for (let code = 0; code < 256; code += 1) {
      const character = String.fromCharCode(code)
      const want = /^[\da-f]$/i.test(character) ? Number.parseInt(character, 16) : -1
      expect(hexDigit(code), `0x${code.toString(16)}`).to.equal(want)
    }
  })
})
