import { expect } from 'chai'
import * as fc from 'fast-check'
import { requestFraming, responseFraming } from '../../src/http/framing.ts'
import { HeaderIndex } from '../../src/http/header-list.ts'

/** An index of these fields, written as `Name: value`. */
function fields(...lines: readonly string[]): HeaderIndex {
  return new HeaderIndex(lines.flatMap((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]))
}

describe('requestFraming', () => {
  const cases: readonly { readonly lines: readonly string[]; readonly minor?: number; readonly want: unknown }[] = [
    { lines: [], want: { kind: 'none' } },
    { lines: ['Content-Length: 0'], want: { kind: 'length', bytes: 0 } },
    { lines: ['content-length: 0042'], want: { kind: 'length', bytes: 42 } },
    { lines: ['Content-Length: 9007199254740991'], want: { kind: 'length', bytes: 9_007_199_254_740_991 } },
    { lines: ['Transfer-Encoding: chunked'], want: { kind: 'chunked' } },
    { lines: ['Transfer-Encoding: \tCHUNKED '], want: { kind: 'chunked' } },
    { lines: ['Content-Length: 9007199254740992'], want: 'ambiguous' },
    { lines: ['Content-Length: 18446744073709551619'], want: 'ambiguous' },
    { lines: ['Content-Length: 3', 'Content-Length: 3'], want: 'ambiguous' },
    { lines: ['Content-Length: 3, 3'], want: 'ambiguous' },
    { lines: ['Content-Length: +3'], want: 'ambiguous' },
    { lines: ['Content-Length: -3'], want: 'ambiguous' },
    { lines: ['Content-Length: 3 3'], want: 'ambiguous' },
    { lines: ['Content-Length: 0x3'], want: 'ambiguous' },
    { lines: ['Content-Length: '], want: 'ambiguous' },
    { lines: ['Content-Length: 3', 'Transfer-Encoding: chunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: chunked, chunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: identity'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: '], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: "chunked"'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: \u000bchunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: chunked;q=1'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: notgzip'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: chunked'], minor: 0, want: 'ambiguous' },
    { lines: ['Transfer-Encoding: gzip, chunked'], want: 'coding' },
    { lines: ['Transfer-Encoding: X-Gzip'], want: 'coding' },
    { lines: ['Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'], want: 'coding' },
  ]

  for (const { lines, minor = 1, want } of cases) {
    it(`of ${JSON.stringify(lines)} in HTTP/1.${minor} is ${JSON.stringify(want)}`, () => {
      const framing = requestFraming(fields(...lines), minor)
      expect(framing.ok ? framing.value : framing.error).to.deep.equal(want)
    })
  }

  it('takes a length only where it is digits alone, and then exactly', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.nat().map(String)), (text) => {
        const framing = requestFraming(new HeaderIndex(['Content-Length', text]), 1)
        const isDigits = /^[0-9]+$/.test(text) && Number(text) <= Number.MAX_SAFE_INTEGER && text.length <= 16
        expect(framing).to.deep.equal(
          isDigits ? { ok: true, value: { kind: 'length', bytes: Number(text) } } : { ok: false, error: 'ambiguous' },
        )
      }),
    )
  })
})

describe('responseFraming', () => {
  const cases: readonly {
    readonly lines: readonly string[]
    readonly status?: number
    readonly method?: string
    readonly want: unknown
  }[] = [
    { lines: [], want: { kind: 'until-close' } },
    { lines: ['Content-Length: 5'], want: { kind: 'length', bytes: 5 } },
    { lines: ['Transfer-Encoding: chunked'], want: { kind: 'chunked' } },
    { lines: ['Content-Length: 5'], method: 'HEAD', want: { kind: 'none' } },
    { lines: ['Transfer-Encoding: chunked'], method: 'HEAD', want: { kind: 'none' } },
    { lines: ['Content-Length: 5'], status: 304, want: { kind: 'none' } },
    { lines: ['Content-Length: 5'], status: 204, want: { kind: 'none' } },
    { lines: ['Content-Length: 5', 'Content-Length: 5'], want: 'ambiguous' },
    { lines: ['Content-Length: 5', 'Content-Length: 6'], method: 'HEAD', want: 'ambiguous' },
    { lines: ['Content-Length: 5', 'Transfer-Encoding: chunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], want: 'ambiguous' },
    { lines: ['Transfer-Encoding: gzip'], want: 'ambiguous' },
  ]

  for (const { lines, status = 200, method = 'GET', want } of cases) {
    it(`of ${JSON.stringify(lines)} with ${status} to ${method} is ${JSON.stringify(want)}`, () => {
      const framing = responseFraming(fields(...lines), status, method)
      expect(framing.ok ? framing.value : framing.error).to.deep.equal(want)
    })
  }
})
