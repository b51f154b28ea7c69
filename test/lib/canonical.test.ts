import { expect } from 'chai'
import * as fc from 'fast-check'
import { type Canonical, canonicalJson } from '../../src/lib/canonical.ts'

describe('canonicalJson', () => {
  for (const { value, want } of [
    { value: { b: 1, a: [{ d: 2, c: null }] }, want: '{"a":[{"c":null,"d":2}],"b":1}' },
    { value: { a: undefined, b: true }, want: '{"b":true}' },
    { value: ['b', 'a'], want: '["b","a"]' },
    { value: {}, want: '{}' },
    { value: 'a"b', want: '"a\\"b"' },
    { value: { B: 1, a: 2, A: 3 }, want: '{"A":3,"B":1,"a":2}' },
  ] as readonly { readonly value: Canonical; readonly want: string }[]) {
    it(`is ${want}`, () => {
      expect(canonicalJson(value)).to.equal(want)
    })
  }

  it('is the same for the same fields in any order, and says all of them', () => {
    const name = fc.string({ maxLength: 4 }).filter((text) => text !== '__proto__')
    const record = fc.dictionary(name, fc.oneof(fc.integer(), fc.string(), fc.constant(null)), {
      noNullPrototype: true,
    })
    fc.assert(
      fc.property(record, (fields) => {
        const reversed = Object.fromEntries(Object.entries(fields).toReversed())
        expect(canonicalJson({ outer: reversed })).to.equal(canonicalJson({ outer: fields }))
        expect(JSON.parse(canonicalJson(fields))).to.deep.equal(fields)
      }),
    )
  })
})
