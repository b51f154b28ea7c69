import { expect } from 'chai'
import { EXTENSION_END, EXTENSION_START, NO_PART, partAfter } from '../../src/http/chunk-extension.ts'

/** The part behind `text`, which begins behind the first semicolon; `NO_PART` from the first byte on that is wrong. */
function partBehind(text: string): number {
  let part = EXTENSION_START
  for (const byte of Buffer.from(text, 'latin1')) {
    part = partAfter(part, byte)
    if (part === NO_PART) break
  }
  return part
}

describe('the grammar of chunk extensions (RFC 9112, section 7.1.1)', () => {
  for (const text of [
    'a',
    'a=b',
    'a;b;c=d',
    'a="b"',
    'a=""',
    'a="b c;\\"d\\\\"',
    'a="b";c',
    'a="caf\xe9"',
    "A-1=!#$%&'*+-.^_`|~",
  ]) {
    it(`takes ;${text}`, () => {
      expect(partBehind(`${text}\r`)).to.equal(EXTENSION_END)
    })
  }

  for (const text of [
    '',
    ';a',
    '=b',
    'a=',
    'a=;b',
    'a==b',
    'a b',
    'a =b',
    'a= b',
    'a="b"c',
    'a="b"=c',
    'a="b',
    'a="b\\',
    'a="b\n"',
    'a="\0"',
    'a="\\\n"',
    'a\n',
    'a,b',
    '"a"',
  ]) {
    it(`takes no ;${JSON.stringify(text).slice(1, -1)}`, () => {
      expect(partBehind(`${text}\r`)).to.equal(NO_PART)
    })
  }
})
