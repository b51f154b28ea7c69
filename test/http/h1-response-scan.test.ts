import { expect } from 'chai'
import * as fc from 'fast-check'
import {
  BODY_CHUNKED,
  BODY_UNTIL_CLOSE,
  ResponseScan,
  type ResponseScanLimits,
} from '../../src/http/h1-response-scan.ts'
import { DONE, INVALID, NEED_MORE } from '../../src/http/h1-scan.ts'
import { checkResponse } from '../../src/http/response-check.ts'
import { downstreamResponseHead } from '../../src/http/response-head.ts'
import { referenceResponse } from '../fuzz/reference-response.ts'
import { bytesOf, linesOf, runTexts } from './bytes.ts'
import { mangled, responseHeads } from './heads.ts'

const LIMITS: ResponseScanLimits = { maxHeaderBytes: 32_768, maxHeaders: 1000 }
const SMALL: ResponseScanLimits = { maxHeaderBytes: 120, maxHeaders: 4 }
const DATE = 'Thu, 01 Jan 2026 00:16:40 GMT'

describe('ResponseScan', () => {
  it('finds a head, and what it says', () => {
    const { scan, bytes } = scannedWith('HTTP/1.1 404 Not Found\r\nContent-Length: 3\r\nConnection: close\r\n\r\nabc')
    expect([scan.status, scan.reason(bytes), scan.minorVersion, scan.headEnd]).to.deep.equal([404, 'Not Found', 1, 64])
    expect([scan.isPlain, scan.keepsOpen, scan.bodyLength(false), scan.bodyLength(true)]).to.deep.equal([
      true,
      false,
      3,
      0,
    ])
    expect(scan.list(bytes)).to.deep.equal(['Content-Length', '3', 'Connection', 'close'])
  })

  it('tells how a body ends', () => {
    expect(lengthOf('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n')).to.equal(BODY_CHUNKED)
    expect(lengthOf('HTTP/1.1 200 OK\r\n\r\n')).to.equal(BODY_UNTIL_CLOSE)
    expect(lengthOf('HTTP/1.1 204 No Content\r\n\r\n')).to.equal(0)
    expect(lengthOf('HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n')).to.equal(0)
  })

  it('tells whether the upstream keeps its connection', () => {
    const rows: readonly (readonly [string, boolean])[] = [
      ['HTTP/1.1 200 OK\r\n\r\n', true],
      ['HTTP/1.0 200 OK\r\n\r\n', false],
      ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n', true],
      ['HTTP/1.0 200 OK\r\nConnection: keep-alive, close\r\n\r\n', false],
    ]
    for (const [text, keeps] of rows) expect(scannedWith(text).scan.keepsOpen, text).to.equal(keeps)
  })

  describe('refuses', () => {
    const rows: readonly (readonly [string, string])[] = [
      ['71 #223 an answer of HTTP/0.9', '<html>'],
      ['another version', 'HTTP/2.0 200 OK\r\n\r\n'],
      ['71 #222 a status of two digits', 'HTTP/1.1 99 x\r\n\r\n'],
      ['71 #226 a head above its limit', `HTTP/1.1 200 OK\r\nA: ${'a'.repeat(32_768)}`],
      ['71 #225 a field too many', `HTTP/1.1 200 OK\r\n${'a: b\r\n'.repeat(1000)}c`],
      ['a bare LF', 'HTTP/1.1 200 OK\n\n'],
      ['empty lines before it', '\r\nHTTP/1.1 200 OK\r\n\r\n'],
    ]
    for (const [title, text] of rows) it(title, () => expect(scannedWith(text).outcome).to.equal(INVALID))
  })

  it('agrees with a slow parser on every head', () => {
    fc.assert(
      fc.property(fc.oneof(responseHeads, mangled(responseHeads)), fc.constantFrom(LIMITS, SMALL), (text, limits) => {
        const whole = `${text}\n\r\n\r\n`
        expect(outcomeOf(whole, limits, { cuts: [], shift: 0 })).to.deep.equal(referenceResponse(whole, limits))
      }),
      { numRuns: 3000 },
    )
  })

  it('says the same wherever the bytes are cut, and wherever they lie', () => {
    fc.assert(
      fc.property(mangled(responseHeads), fc.constantFrom(LIMITS, SMALL), fc.nat(9), (text, limits, shift) => {
        const whole = `${text}\n\r\n\r\n`
        const cuts = Array.from(whole, (_byte, index) => index + 1)
        const wanted = outcomeOf(whole, limits, { cuts: [], shift: 0 })
        expect(outcomeOf(whole, limits, { cuts, shift })).to.deep.equal(wanted)
      }),
      { numRuns: 300 },
    )
  })

  it('copies in runs what the rules of strings say', () => {
    let compared = 0
    fc.assert(
      fc.property(responseHeads, fc.constantFrom('GET', 'HEAD'), (text, method) => {
        const { scan, bytes, outcome } = scannedWith(text)
        if (outcome !== DONE || !scan.isPlain) return
        const checked = checkResponse({ status: scan.status, fields: scan.list(bytes), method }, LIMITS.maxHeaders)
        if (!checked) throw new Error('a plain head was refused')
        const { index, framing } = checked
        const head = downstreamResponseHead({
          index,
          framing,
          status: scan.status,
          clientMinorVersion: 1,
          closes: false,
          date: DATE,
        })
        const length = scan.bodyLength(method === 'HEAD')
        const ours = [
          ...(scan.notes.hasServer ? [] : ['Server', 'ramjet']),
          ...(length === BODY_UNTIL_CLOSE ? ['Transfer-Encoding', 'chunked'] : []),
          ...(scan.notes.hasDate ? [] : ['Date', DATE]),
        ]
        const runs = runTexts(bytes, scan.fields.runs, scan.fields.runCount).join('')
        expect(runs + linesOf(ours)).to.equal(linesOf(head.fields))
        expect(head.body).to.equal(bodyOf(framing.kind))
        expect(length).to.equal(lengthIn(framing))
        compared += 1
      }),
      { numRuns: 4000 },
    )
    expect(compared, 'heads that were compared').to.be.above(100)
  })

  it('calls a head ordinary only where it is served', () => {
    fc.assert(
      fc.property(mangled(responseHeads), (text) => {
        const { scan, bytes, outcome } = scannedWith(text)
        if (outcome !== DONE || !scan.isPlain) return
        const raw = { status: scan.status, fields: scan.list(bytes), method: 'GET' }
        expect(checkResponse(raw, LIMITS.maxHeaders)).to.not.equal(undefined)
      }),
      { numRuns: 2000 },
    )
  })
})

function bodyOf(kind: string): string {
  return kind === 'until-close' ? 'chunked' : kind
}

function lengthIn(framing: { readonly kind: string; readonly bytes?: number }): number {
  if (framing.kind === 'length') return framing.bytes ?? 0
  if (framing.kind === 'none') return 0
  return framing.kind === 'chunked' ? BODY_CHUNKED : BODY_UNTIL_CLOSE
}

function lengthOf(text: string): number {
  return scannedWith(text).scan.bodyLength(false)
}

function scannedWith(text: string): { scan: ResponseScan; bytes: Uint8Array; outcome: number } {
  const scan = new ResponseScan(LIMITS)
  const bytes = bytesOf(text)
  return { scan, bytes, outcome: scan.scan(bytes, 0, bytes.length) }
}

/** In reads that end at `cuts`; each time the bytes lie `shift` further on. */
function outcomeOf(
  text: string,
  limits: ResponseScanLimits,
  { cuts, shift }: { readonly cuts: readonly number[]; readonly shift: number },
): ReturnType<typeof referenceResponse> {
  const scan = new ResponseScan(limits)
  let from = 0
  for (const cut of [...cuts, text.length]) {
    const bytes = bytesOf('#'.repeat(from) + text.slice(0, cut))
    const outcome = scan.scan(bytes, from, bytes.length)
    if (outcome === INVALID) return { kind: 'invalid' }
    if (outcome === DONE) {
      const { minorVersion, status, headEnd } = scan
      const parts = { minorVersion, status, reason: scan.reason(bytes), fields: scan.list(bytes) }
      return { kind: 'done', length: headEnd - from, ...parts }
    }
    expect(outcome).to.equal(NEED_MORE)
    from += shift
  }
  return { kind: 'need-more' }
}
