import { expect } from 'chai'
import * as fc from 'fast-check'
import { plainHostEnd } from '../../src/http/h1-plain.ts'
import { RequestScan, type RequestScanLimits } from '../../src/http/h1-request-scan.ts'
import { DONE, INVALID, NEED_MORE } from '../../src/http/h1-scan.ts'
import { checkRequest, type RequestLimits } from '../../src/http/request-check.ts'
import { upstreamRequestHead } from '../../src/http/request-head.ts'
import { buildCidrSet } from '../../src/lib/ip.ts'
import { referenceRequest } from '../fuzz/reference-request.ts'
import { bytesOf, linesOf, runTexts, textOf } from './bytes.ts'
import { mangled, requestHeads } from './heads.ts'

const LIMITS: RequestLimits = {
  maxTargetBytes: 16_384,
  maxHeaderBytes: 65_536,
  maxHeaders: 200,
  encodedSlash: 'keep',
}
const SMALL: RequestScanLimits = { maxTargetBytes: 24, maxHeaderBytes: 160, maxHeaders: 4 }
/** Where a target may be longer than the head that it stands in. */
const CROSSED: RequestScanLimits = { maxTargetBytes: 48, maxHeaderBytes: 32, maxHeaders: 4 }

describe('RequestScan', () => {
  it('finds an ordinary head, and where its parts are', () => {
    const text = 'GET /a?b=c HTTP/1.1\r\nHost: shop.example\r\nAccept:  */* \r\n\r\nrest'
    const scan = new RequestScan(LIMITS)
    const bytes = bytesOf(text)
    expect(scan.scan(bytes, 0, bytes.length)).to.equal(DONE)
    const { headStart, methodEnd, targetStart, pathEnd, targetEnd, headEnd } = scan
    expect([headStart, methodEnd, targetStart, pathEnd, targetEnd]).to.deep.equal([0, 3, 4, 6, 10])
    expect(text.slice(headEnd)).to.equal('rest')
    expect(scan.rawRequest(bytes)).to.deep.equal({
      method: 'GET',
      target: '/a?b=c',
      majorVersion: 1,
      minorVersion: 1,
      fields: ['Host', 'shop.example', 'Accept', '*/*'],
    })
  })

  it('R22-24: knows a call of gRPC by its last content type', () => {
    const types: readonly (readonly [lines: readonly string[], isGrpc: boolean])[] = [
      [[], false],
      [['Content-Type: application/grpc'], true],
      [['content-type:  application/grpc+proto '], true],
      [['Content-Type: application/grpc-web'], false],
      [['Content-Type: application/grpc', 'Content-Type: text/plain'], false],
      [['Content-Typo: application/grpc'], false],
    ]
    for (const [lines, isGrpc] of types) {
      const text = headOf('POST / HTTP/1.1', ['Host: a', ...lines])
      expect(scanned(text).isGrpc(bytesOf(text)), lines.join()).to.equal(isGrpc)
    }
  })

  it('says what a byte engine asks of the fields', () => {
    const { notes } = scanned(
      headOf('POST / HTTP/1.1', [
        'Host: a',
        'Connection: Keep-Alive, Upgrade',
        'Upgrade: websocket',
        'Content-Length: 12',
        'Expect: x, 100-Continue',
        'X-Request-Id: 7',
        'x-forwarded-for: 192.0.2.1',
        'Forwarded: for=x',
        'Proxy: y',
      ]),
    )
    const { hostAt, contentLength, codingCount, saysClose, saysKeepAlive, saysUpgrade } = notes
    expect({ hostAt, contentLength, codingCount, saysClose, saysKeepAlive, saysUpgrade }).to.deep.equal({
      hostAt: 0,
      contentLength: 12,
      codingCount: 0,
      saysClose: false,
      saysKeepAlive: true,
      saysUpgrade: true,
    })
    const { upgradeCount, expectsContinue, requestIdAt, forwardedForAt, forwardedCount, proxyCount } = notes
    expect([upgradeCount, requestIdAt, forwardedForAt, forwardedCount, proxyCount]).to.deep.equal([1, 5, 6, 2, 1])
    expect(expectsContinue).to.equal(true)
  })

  it('keeps whole lines of an ordinary head, in runs', () => {
    const lines = ['Host: a', 'Accept: b', 'Connection: keep-alive', 'Cookie: c', 'X-Forwarded-For: 1', 'X-Real-IP: 2']
    const { scan, bytes } = scannedWith(headOf('GET / HTTP/1.1', lines))
    expect(scan.isPlain).to.equal(true)
    expect(runsOf(scan, bytes)).to.deep.equal(['Host: a\r\nAccept: b\r\n', 'Cookie: c\r\n'])
  })

  for (const line of [
    'Accept:b',
    'Accept:  b',
    'Accept: b ',
    'Connection: x-hop',
    'Upgrade: websocket',
    'X_A: b',
    'X.A: b',
    'TE: gzip',
    'Trailer: a',
    'Transfer-Encoding: Chunked',
    'ssl-client-verify: a',
    'Close: a',
    'Host: b',
  ]) {
    it(`takes a head with "${line}" for no ordinary one`, () => {
      expect(scanned(headOf('GET / HTTP/1.1', ['Host: a', line])).isPlain).to.equal(false)
    })
  }

  it('takes the heads of browsers for ordinary ones', () => {
    const lines = [
      'Host: shop.example',
      'Connection: keep-alive',
      'Cache-Control: max-age=0',
      'sec-ch-ua: "Chromium";v="140", "Not=A?Brand";v="24"',
      'sec-ch-ua-mobile: ?0',
      'Upgrade-Insecure-Requests: 1',
      'User-Agent: Mozilla/5.0 (X11; Linux x86_64)',
      'Accept: text/html,application/xhtml+xml;q=0.9,*/*;q=0.8',
      'Sec-Fetch-Site: none',
      'Accept-Encoding: gzip, deflate, br, zstd',
      'Accept-Language: en-GB,en;q=0.9',
      'Cookie: session=0123456789abcdef; theme=dark',
      'Content-Length: 12',
      'X-Request-Id: 42',
      'X-Forwarded-For: 192.0.2.1',
    ]
    expect(scanned(headOf('POST /cart/%C3%A9?id=7 HTTP/1.1', lines)).isPlain).to.equal(true)
    expect(scanned(headOf('GET / HTTP/1.1', ['Host: a', 'Transfer-Encoding: chunked'])).isPlain).to.equal(true)
  })

  describe('refuses', () => {
    const rows: readonly (readonly [title: string, text: string, fault: string])[] = [
      ['R20-86 more than 1 KiB of empty lines', `${'\r\n'.repeat(513)}G`, 'malformed'],
      ['R20-82 a target above its limit, before it ends', `GET /${'a'.repeat(16_384)}`, 'target-too-long'],
      ['R20-83 a head above its limit, before it ends', `GET / HTTP/1.1\r\nA: ${'a'.repeat(65_536)}`, 'head-too-large'],
      ['R20-83 white space above the limit', `GET / HTTP/1.1\r\nA: ${' '.repeat(65_536)}`, 'head-too-large'],
      ['R20-84 a field too many, before it ends', `GET / HTTP/1.1\r\n${'a: b\r\n'.repeat(200)}c`, 'too-many-fields'],
      ['R71-12 a version of its own', 'GET / HTTP/3.7\r\n', 'version-not-supported'],
      ['R71-12 a version that is none', 'GET / HTTP/1.10', 'malformed'],
      ['71 #127 the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'version-not-supported'],
      ['what is no HTTP', '\x16\x03\x01', 'malformed'],
      ['two spaces', 'GET  / HTTP/1.1\r\n', 'malformed'],
    ]
    for (const [title, text, fault] of rows) {
      it(title, () => {
        const scan = new RequestScan(LIMITS)
        expect(scan.scan(bytesOf(text), 0, text.length)).to.equal(INVALID)
        expect(scan.fault).to.equal(fault)
      })
    }
  })

  it('takes heads that are exactly as large as they may be', () => {
    const rest = headOf('GET / HTTP/1.1', linesWith(0)).length
    expect(outcomeOf(headOf('GET / HTTP/1.1', linesWith(65_536 - rest)), LIMITS)).to.match(/^done 65536\{/)
    expect(outcomeOf(headOf('GET / HTTP/1.1', linesWith(65_537 - rest)), LIMITS)).to.equal('head-too-large')
    expect(outcomeOf(headOf(`GET /${'a'.repeat(16_383)} HTTP/1.1`, ['Host: a']), LIMITS)).to.match(/^done/)
    expect(outcomeOf(headOf(`GET /${'a'.repeat(16_384)} HTTP/1.1`, ['Host: a']), LIMITS)).to.equal('target-too-long')
  })

  it('R20-82 tells a target above its limit from a head above its own, also where that is the lower one', () => {
    expect(outcomeOf(targetOf(48), CROSSED)).to.equal('need-more')
    expect(outcomeOf(`${targetOf(48)} `, CROSSED)).to.equal('head-too-large')
    expect(outcomeOf(targetOf(49), CROSSED)).to.equal('target-too-long')
    expect(outcomeOf(`${targetOf(20)} HTTP/1.1\r\n`, CROSSED)).to.equal('head-too-large')
    expect(outcomeOf('G'.repeat(90), CROSSED)).to.equal('head-too-large')
  })

  it('agrees with a slow parser on every head', () => {
    fc.assert(
      fc.property(
        fc.oneof(requestHeads, mangled(requestHeads)),
        fc.constantFrom(LIMITS, SMALL, CROSSED),
        (text, limits) => {
          const whole = `${text}\n\r\n\r\n`
          expect(outcomeOf(whole, limits)).to.equal(referenceOf(whole, limits))
        },
      ),
      { numRuns: 2000 },
    )
  })

  it('R71-5 says the same wherever the bytes are cut, and wherever they lie', () => {
    fc.assert(
      fc.property(
        mangled(requestHeads),
        fc.constantFrom(LIMITS, SMALL, CROSSED),
        fc.array(fc.nat(400), { maxLength: 6 }),
        fc.nat(40),
        (text, limits, cuts, shift) => {
          const whole = `${text}\n\r\n\r\n`
          expect(outcomeOfParts(whole, limits, { cuts, shift })).to.equal(outcomeOf(whole, limits))
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('R71-5 says the same of a head that comes byte by byte', () => {
    fc.assert(
      fc.property(mangled(requestHeads), fc.constantFrom(LIMITS, SMALL, CROSSED), (text, limits) => {
        const whole = `${text}\n\r\n\r\n`
        const cuts = Array.from(whole, (_byte, index) => index)
        expect(outcomeOfParts(whole, limits, { cuts, shift: 0 })).to.equal(outcomeOf(whole, limits))
      }),
      { numRuns: 200 },
    )
  })

  it('looks at no byte of a head that trickles in more than three times', () => {
    const text = `GET /${'a'.repeat(5000)} HTTP/1.1\r\nHost: a\r\nA: ${'b'.repeat(20_000)}\r\n\r\n`
    const { bytes, reads } = countingBytes(text)
    const scan = new RequestScan(LIMITS)
    for (let to = 1; to < text.length; to += 1) expect(scan.scan(bytes, 0, to)).to.equal(NEED_MORE)
    expect(scan.scan(bytes, 0, text.length)).to.equal(DONE)
    // Besides the scan, each call looks at the byte before its end, and an end of a line at the one behind it.
    expect(reads()).to.be.below(text.length * 6)
  })

  describe('what is copied in runs', () => {
    for (const trusted of [false, true]) {
      it(`is what the rules of strings say, from a peer that is ${trusted ? '' : 'not '}trusted`, () => {
        let compared = 0
        fc.assert(
          fc.property(requestHeads, (text) => {
            const { scan, bytes, outcome } = scannedWith(text)
            if (outcome !== DONE || !scan.isPlain || (trusted && scan.notes.forwardedCount > 0)) return
            const host = plainHostEnd(bytes, ...rangeOf(scan, scan.notes.hostAt))
            if (host < 0) return
            const checked = checkRequest(scan.rawRequest(bytes), LIMITS)
            if (!checked.ok) throw new Error(checked.error)
            const { index, framing, authority, path, query, host: name } = checked.value
            expect(text.slice(scan.targetStart, scan.targetEnd)).to.equal(path + query)
            expect(textOf(bytes, scan.fields.valueStart(scan.notes.hostAt), host)).to.equal(name)
            const peer = { address: '198.51.100.1', trusted }
            const ours = upstreamRequestHead(
              { index, framing, hop: { peer, authority, port: 80, scheme: 'http', freshId: 'f' }, upgrade: false },
              { trustedProxies: buildCidrSet([]), underscoreHeaders: 'reject' },
            )
            if (!ours.ok) throw new Error(ours.error)
            const added = ours.value.fields.lastIndexOf('X-Request-Id')
            const kept = linesOf(ours.value.fields.slice(0, added))
            expect(runsOf(scan, bytes).join('')).to.equal(kept)
            const managed = scan.notes.forwardedCount + scan.notes.proxyCount
            expect(ours.value.dropped).to.deep.equal({ underscore: 0, dot: 0, managed, misspelled: undefined })
            compared += 1
          }),
          { numRuns: 5000 },
        )
        expect(compared, 'heads that were compared').to.be.above(100)
      })
    }
  })

  it('calls no head ordinary that is refused, but for its host', () => {
    fc.assert(
      fc.property(fc.oneof(requestHeads, mangled(requestHeads)), (text) => {
        const { scan, bytes, outcome } = scannedWith(text)
        if (outcome !== DONE || !scan.isPlain) return
        if (plainHostEnd(bytes, ...rangeOf(scan, scan.notes.hostAt)) < 0) return
        expect(checkRequest(scan.rawRequest(bytes), { ...LIMITS, encodedSlash: 'reject' })).to.have.property('ok', true)
      }),
      { numRuns: 3000 },
    )
  })
})

/** The beginning of a request whose target has so many bytes. */
function targetOf(bytes: number): string {
  return `GET /${'a'.repeat(bytes - 1)}`
}

function linesWith(length: number): readonly string[] {
  return ['Host: a', `A: ${'a'.repeat(length)}`]
}

function scannedWith(text: string): { scan: RequestScan; bytes: Uint8Array; outcome: number } {
  const scan = new RequestScan(LIMITS)
  const bytes = bytesOf(text)
  return { scan, bytes, outcome: scan.scan(bytes, 0, bytes.length) }
}

function scanned(text: string): RequestScan {
  return scannedWith(text).scan
}

/** The outcome as text: a fault, or the length and all parts of the head. */
function outcomeOf(text: string, limits: RequestScanLimits): string {
  return outcomeOfParts(text, limits, { cuts: [], shift: 0 })
}

/** The same in reads that end at `cuts`; each time the bytes lie `shift` further on. */
function outcomeOfParts(
  text: string,
  limits: RequestScanLimits,
  { cuts, shift }: { readonly cuts: readonly number[]; readonly shift: number },
): string {
  const scan = new RequestScan(limits)
  let from = 0
  for (const cut of [...cuts.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length]) {
    const bytes = bytesOf(`${'#'.repeat(from)}${text.slice(0, cut)}`)
    const outcome = scan.scan(bytes, from, bytes.length)
    if (outcome === INVALID) return scan.fault
    if (outcome === DONE) {
      const { headEnd } = scan
      return `done ${headEnd - from}${JSON.stringify(scan.rawRequest(bytes))}`
    }
    from += shift
  }
  return 'need-more'
}

function referenceOf(text: string, limits: RequestScanLimits): string {
  const head = referenceRequest(text, limits)
  if (head.kind === 'need-more') return 'need-more'
  if (head.kind === 'invalid') return head.fault
  return `done ${head.length}${JSON.stringify(head.raw)}`
}

function runsOf({ fields }: RequestScan, bytes: Uint8Array): readonly string[] {
  return runTexts(bytes, fields.runs, fields.runCount)
}

function rangeOf({ fields }: RequestScan, index: number): [number, number] {
  return [fields.valueStart(index), fields.valueEnd(index)]
}

function headOf(line: string, lines: readonly string[]): string {
  return `${[line, ...lines].join('\r\n')}\r\n\r\n`
}

/** Bytes that count how often one of them is read. */
function countingBytes(text: string): { bytes: Uint8Array; reads: () => number } {
  let count = 0
  const bytes = new Proxy(bytesOf(text), {
    get(target, key) {
      if (typeof key === 'string' && /^\d+$/.test(key)) count += 1
      const value: unknown = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
  return { bytes, reads: () => count }
}
