import { expect } from 'chai'
import { faultInTrailers, forwardedTrailers } from '../../src/http/trailers.ts'

describe('forwardedTrailers (R20-46)', () => {
  for (const name of [
    'Content-Length',
    'transfer-encoding',
    'HOST',
    'Authorization',
    'cookie',
    'Connection',
    'TE',
    'Trailer',
    'X-Forwarded-For',
    'x-forwarded-new',
    'X-Real-IP',
    'Forwarded',
    'X-Request-Id',
    'Proxy',
    'X_Forwarded_For',
    'X.Forwarded.For',
  ]) {
    it(`loses ${name}`, () => {
      expect(forwardedTrailers([name, 'a', 'X-Sum', 'b'], true)).to.deep.equal({ fields: [['X-Sum', 'b']], dropped: 1 })
    })
  }

  it('keeps order, case and duplicates of the others', () => {
    expect(forwardedTrailers(['x-B', '1', 'X-a', '2', 'X-b', '3'], false)).to.deep.equal({
      fields: [
        ['x-B', '1'],
        ['X-a', '2'],
        ['X-b', '3'],
      ],
      dropped: 0,
    })
  })

  it('R20-38: treats names with `_` as heads do', () => {
    expect(forwardedTrailers(['a_b', '1'], true).dropped).to.equal(0)
    expect(forwardedTrailers(['a_b', '1'], false).dropped).to.equal(1)
  })
})

describe('faultInTrailers', () => {
  const limits = { maxHeaders: 2, maxHeaderBytes: 20 }

  for (const { raw, want } of [
    { raw: [], want: undefined },
    { raw: ['a', 'b', 'c', 'd'], want: undefined },
    { raw: ['a', 'b', 'c', 'd', 'e', 'f'], want: 'too-many-fields' },
    { raw: ['a', 'b'.repeat(15)], want: undefined },
    { raw: ['a', 'b'.repeat(16)], want: 'head-too-large' },
  ]) {
    it(`of ${JSON.stringify(raw)} is ${String(want)}`, () => {
      expect(faultInTrailers(raw, limits)).to.equal(want)
    })
  }
})
