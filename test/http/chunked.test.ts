import { expect } from 'chai'
import * as fc from 'fast-check'
import { ChunkedBody, type ChunkedLimits } from '../../src/http/chunked.ts'
import { type ReferenceBody, referenceChunked } from '../fuzz/reference-chunked.ts'
import { bytesOf, runTexts } from './bytes.ts'
import { mangled } from './heads.ts'

const LIMITS: ChunkedLimits = { maxHeaders: 200, maxHeaderBytes: 65_536 }
const SMALL: ChunkedLimits = { maxHeaders: 2, maxHeaderBytes: 24 }

describe('ChunkedBody', () => {
  it('relays an ordinary body as one run, and knows where it ends', () => {
    const { body, end, runs } = readWhole('3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\nGET /')
    expect(runs).to.deep.equal(['3\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n'])
    expect([body.isEnded, body.dataBytes, body.hasTrailers]).to.deep.equal([true, 19, false])
    expect(end).to.equal(35)
  })

  it('gives the data alone where chunks do not go on', () => {
    expect(readWhole('3;a=b\r\nabc\r\n2\r\nde\r\n0\r\nA: b\r\n\r\n', false).runs).to.deep.equal(['abc', 'de'])
  })

  it('71 #38 leaves extensions out of what it relays', () => {
    expect(readWhole('3;a="b c"\r\nabc\r\n0;x\r\n\r\n').runs.join('')).to.equal('3\r\nabc\r\n0\r\n\r\n')
  })

  it('71 #45 keeps trailers, and leaves them and the end to who relays', () => {
    const { body, runs } = readWhole('3\r\nabc\r\n0\r\nX-Sum: 1 \r\nB:\r\n\r\n')
    expect(body.trailers).to.deep.equal(['X-Sum', '1', 'B', ''])
    expect([body.hasTrailers, runs.join('')]).to.deep.equal([true, '3\r\nabc\r\n0\r\n'])
  })

  describe('refuses', () => {
    const rows: readonly (readonly [title: string, text: string, fault: string])[] = [
      ['71 #31 a bare LF behind a size', '3\nabc\r\n', 'malformed'],
      ['71 #33 0x3', '0x3\r\n', 'malformed'],
      ['71 #34 +3', '+3\r\n', 'malformed'],
      ['71 #35 -1', '-1\r\n', 'malformed'],
      ['71 #37 no size', '\r\nabc', 'malformed'],
      ['71 #39 LF in an extension', '3;a\nb\r\n', 'malformed'],
      ['71 #41 R20-87 extensions above 16 KiB', `3;${'a'.repeat(16_384)}`, 'malformed'],
      ['R20-87 extensions above 16 KiB together', '1;aaa\r\na\r\n'.repeat(5000), 'malformed'],
      ['71 #42 a space behind a size', '3 \r\n', 'malformed'],
      ['71 #43 more data than the size', '3\r\nabcd', 'malformed'],
      ['a size above 2^53', '20000000000000\r\n', 'malformed'],
      ['a size of more than 16 digits', '00000000000000003', 'malformed'],
      ['a CR alone in the end', '0\r\n\rX', 'malformed'],
      ['a trailer without a colon', '0\r\nX\r\n', 'malformed'],
      ['71 #47 R20-85 trailers above 64 KiB', `0\r\nA: ${'a'.repeat(65_536)}`, 'head-too-large'],
      ['R20-84 201 trailers', `0\r\n${'a: b\r\n'.repeat(200)}c`, 'too-many-fields'],
    ]
    for (const [title, text, fault] of rows) {
      it(title, () => {
        const { body } = readWhole(text)
        expect([body.fault, body.isEnded]).to.deep.equal([fault, false])
      })
    }
  })

  it('agrees with a slow reader on every body', () => {
    fc.assert(
      fc.property(fc.oneof(bodies, mangled(bodies)), fc.constantFrom(LIMITS, SMALL), (text, limits) => {
        const whole = `${text}\n\r\n\r\n\n`
        expect(resultOf(whole, limits, [])).to.deep.equal(referenceChunked(whole, limits))
      }),
      { numRuns: 3000 },
    )
  })

  it('R71-5 says the same wherever the bytes are cut', () => {
    fc.assert(
      fc.property(mangled(bodies), fc.constantFrom(LIMITS, SMALL), fc.array(fc.nat(200)), (text, limits, cuts) => {
        const whole = `${text}\n\r\n\r\n\n`
        const wanted = resultOf(whole, limits, [])
        expect(resultOf(whole, limits, cuts)).to.deep.equal(wanted)
        expect(
          resultOf(
            whole,
            limits,
            Array.from(whole, (_byte, index) => index),
          ),
        ).to.deep.equal(wanted)
      }),
      { numRuns: 1000 },
    )
  })

  it('serves body after body', () => {
    const body = new ChunkedBody(LIMITS)
    for (const keepsSizes of [true, false]) {
      for (const [text, data] of [
        ['0\r\nA: b\r\n\r\n', 0],
        ['1;x\r\na\r\n0\r\n\r\n', 1],
        ['zz', 0],
      ] as const) {
        body.reset(keepsSizes)
        body.read(bytesOf(text), 0, text.length)
        expect(body.dataBytes).to.equal(data)
        expect(body.isEnded).to.equal(text !== 'zz')
        expect(body.trailers).to.have.length(text.includes('A') ? 2 : 0)
      }
    }
  })
})

const CHUNKS = [
  '1\r\na\r\n',
  '03\r\nabc\r\n',
  'A\r\n0123456789\r\n',
  '2;x=y\r\nab\r\n',
  '1;\r\na\r\n',
  '1;a="\\"\xe9;";b=c;d\r\na\r\n',
  'f\r\n0\r\n\r\n0\r\n\r\n0\r\n\r\n\r\n',
]
const TRAILERS = ['A: b\r\n', 'X-Sum:1\r\n', 'C:\r\n', 'Long: aaaaaaaaaaaa\r\n', 'Bad Name: x\r\n']

const bodies: fc.Arbitrary<string> = fc
  .tuple(
    fc.array(fc.constantFrom(...CHUNKS), { maxLength: 4 }),
    fc.constantFrom('0\r\n', '0\r\n', '000\r\n', '0;x\r\n'),
    fc.array(fc.constantFrom(...TRAILERS), { maxLength: 3 }),
  )
  .map(([chunks, last, trailers]) => `${chunks.join('')}${last}${trailers.join('')}\r\n`)

function readWhole(
  text: string,
  keepsSizes: boolean = true,
): { readonly body: ChunkedBody; readonly end: number; readonly runs: readonly string[] } {
  const body = new ChunkedBody(LIMITS)
  body.reset(keepsSizes)
  const bytes = bytesOf(text)
  const end = body.read(bytes, 0, bytes.length)
  return { body, end, runs: runTexts(bytes, body.runs, body.runCount) }
}

/** What comes of the bytes in reads that end at `cuts`. */
function resultOf(text: string, limits: ChunkedLimits, cuts: readonly number[]): ReferenceBody {
  const [relays, datas] = [new ChunkedBody(limits), new ChunkedBody(limits)]
  relays.reset(true)
  datas.reset(false)
  const bytes = bytesOf(text)
  let from = 0
  let relayed = ''
  let data = ''
  for (const cut of [...cuts.filter((at) => at < text.length).toSorted((a, b) => a - b), text.length]) {
    const end = relays.read(bytes, from, cut)
    expect(datas.read(bytes, from, cut), 'the same end').to.equal(end)
    relayed += runTexts(bytes, relays.runs, relays.runCount).join('')
    data += runTexts(bytes, datas.runs, datas.runCount).join('')
    if (relays.fault) return { kind: 'invalid', fault: relays.fault }
    if (relays.isEnded) {
      expect(relays.dataBytes).to.equal(data.length)
      return { kind: 'done', length: end, data, relayed, trailers: relays.trailers }
    }
    expect(end, 'all was read').to.equal(cut)
    from = cut
  }
  return { kind: 'need-more' }
}
