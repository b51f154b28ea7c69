import { expect } from 'chai'
import { checkRequest, type RawRequest, type RequestLimits } from '../../src/http/request-check.ts'

const LIMITS: RequestLimits = {
  maxTargetBytes: 20,
  maxHeaderBytes: 200,
  maxHeaders: 4,
  encodedSlash: 'keep',
}
const HOST = ['Host', 'a.example'] as const

function raw(parts: Partial<RawRequest> = {}): RawRequest {
  return { method: 'GET', target: '/', majorVersion: 1, minorVersion: 1, fields: HOST, ...parts }
}

describe('checkRequest', () => {
  it('gives host, path and query of a good request', () => {
    const checked = checkRequest(raw({ target: '/a/../b?c', fields: ['hOST', 'A.Example:80'] }), LIMITS)
    expect(checked.ok && { ...checked.value, index: undefined }).to.deep.equal({
      method: 'GET',
      minorVersion: 1,
      index: undefined,
      framing: { kind: 'none' },
      host: 'a.example',
      authority: 'A.Example:80',
      path: '/b',
      query: '?c',
    })
  })

  it('names the host of an absolute target where HTTP/1.0 sent no Host', () => {
    const checked = checkRequest(raw({ target: 'http://b.example/', minorVersion: 0, fields: [] }), LIMITS)
    expect(checked.ok && checked.value.authority).to.equal('b.example')
  })

  it('names no host where HTTP/1.0 said none', () => {
    const checked = checkRequest(raw({ minorVersion: 0, fields: [] }), LIMITS)
    expect(checked.ok && checked.value.host).to.equal('')
  })

  it('takes a Host that spells the absolute target otherwise', () => {
    expect(checkRequest(raw({ target: 'http://A.EXAMPLE:80/' }), LIMITS).ok).to.equal(true)
  })

  const faults: readonly { readonly parts: Partial<RawRequest>; readonly want: string }[] = [
    { parts: { majorVersion: 0, minorVersion: 9 }, want: 'malformed' },
    { parts: { majorVersion: 2, minorVersion: 0 }, want: 'version-not-supported' },
    { parts: { minorVersion: 2 }, want: 'version-not-supported' },
    { parts: { method: 'CONNECT', target: 'a.example:80' }, want: 'connect-refused' },
    { parts: { method: 'TRACE' }, want: 'method-not-allowed' },
    { parts: { method: 'OPTIONS', target: '*' }, want: 'method-not-allowed' },
    { parts: { target: '*' }, want: 'malformed' },
    { parts: { target: `/${'a'.repeat(20)}` }, want: 'target-too-long' },
    { parts: { fields: [...HOST, 'X', 'a'.repeat(170)] }, want: 'head-too-large' },
    { parts: { fields: [...HOST, ...Array.from({ length: 8 }, () => 'x')] }, want: 'too-many-fields' },
    { parts: { fields: [...HOST, 'Transfer-Encoding', 'gzip'] }, want: 'coding-not-implemented' },
    { parts: { fields: [...HOST, 'Transfer-Encoding', 'x'] }, want: 'malformed' },
    { parts: { fields: [] }, want: 'malformed' },
    { parts: { fields: [...HOST, ...HOST] }, want: 'malformed' },
    { parts: { fields: ['Host', 'a b'] }, want: 'malformed' },
    { parts: { target: 'http://b.example/' }, want: 'malformed' },
    { parts: { target: '/../a' }, want: 'malformed' },
    { parts: { target: '/a%00' }, want: 'malformed' },
  ]

  for (const { parts, want } of faults) {
    it(`${JSON.stringify(parts).slice(0, 70)} is ${want}`, () => {
      expect(checkRequest(raw(parts), LIMITS)).to.deep.equal({ ok: false, error: want })
    })
  }

  it('R10-32 refuses an encoded slash where that is asked for', () => {
    expect(checkRequest(raw({ target: '/a%2Fb' }), LIMITS).ok).to.equal(true)
    expect(checkRequest(raw({ target: '/a%2Fb' }), { ...LIMITS, encodedSlash: 'reject' })).to.deep.equal({
      ok: false,
      error: 'malformed',
    })
  })

  it('takes what fills each limit exactly', () => {
    const head = 'GET /aaaaaaaaaaaaaaaaaaa HTTP/1.1\r\nHost: a.example\r\nContent-Length: 10\r\nX: \r\n\r\n'
    const filler = 'x'.repeat(LIMITS.maxHeaderBytes - head.length)
    const fields = [...HOST, 'Content-Length', '10', 'X', filler]
    const target = `/${'a'.repeat(19)}`
    expect(checkRequest(raw({ target, fields }), LIMITS).ok).to.equal(true)
    expect(
      checkRequest(raw({ target, fields: [...HOST, 'Content-Length', '10', 'X', `${filler}x`] }), LIMITS),
    ).to.deep.equal({
      ok: false,
      error: 'head-too-large',
    })
  })
})
