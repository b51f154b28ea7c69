import { expect } from 'chai'
import type { EngineLimits } from '../../../src/dataplane/engine-limits.ts'
import type { ProcessField } from '../../../src/model/counters.ts'
import type { StartBench } from '../engine.ts'
import { lineOf, request } from './bench.ts'

const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

interface SizeCase {
  readonly title: string
  readonly limits: Partial<EngineLimits>
  /** The biggest request that passes. */
  readonly within: string
  /** One byte, or one field, more. */
  readonly above: string
  readonly answer: string
  readonly counted: ProcessField
}

/** A GET whose head is of so many bytes. */
function headOf(bytes: number): string {
  const bare = request('GET', '/', ['A: '])
  return bare.replace('A: ', `A: ${'a'.repeat(bytes - bare.length + 2)}`)
}

function fieldsOf(count: number): string {
  return request(
    'GET',
    '/',
    Array.from({ length: count - 1 }, () => 'a: b'),
  )
}

function trailersOf(lines: string): string {
  return request('POST', '/', ['Transfer-Encoding: chunked'], `1\r\na\r\n0\r\n${lines}\r\n`)
}

function chunksOf(bytes: number): string {
  return request(
    'POST',
    '/',
    ['Transfer-Encoding: chunked'],
    `${bytes.toString(16)}\r\n${'x'.repeat(bytes)}\r\n0\r\n\r\n`,
  )
}

const SIZES: readonly SizeCase[] = [
  {
    title: 'R20-82: the request target',
    limits: { maxTargetBytes: 100 },
    within: request('GET', `/${'a'.repeat(99)}`),
    above: request('GET', `/${'a'.repeat(100)}`),
    answer: '414 URI Too Long',
    counted: 'refusedTargetSize',
  },
  {
    title: 'R20-82: at its default',
    limits: {},
    within: request('GET', `/${'a'.repeat(16_383)}`),
    above: request('GET', `/${'a'.repeat(16_384)}`),
    answer: '414 URI Too Long',
    counted: 'refusedTargetSize',
  },
  {
    title: 'R20-82: also where a head may not even be so long,',
    limits: { maxTargetBytes: 1000, maxHeaderBytes: 500 },
    within: request('GET', '/'),
    above: request('GET', `/${'a'.repeat(1000)}`),
    answer: '414 URI Too Long',
    counted: 'refusedTargetSize',
  },
  {
    title: 'R20-83: the head',
    limits: { maxHeaderBytes: 500 },
    within: headOf(498),
    above: headOf(503),
    answer: '431 Request Header Fields Too Large',
    counted: 'refusedHeadSize',
  },
  {
    title: 'R20-84: its fields',
    limits: { maxHeaders: 5 },
    within: fieldsOf(5),
    above: fieldsOf(6),
    answer: '431 Request Header Fields Too Large',
    counted: 'refusedFields',
  },
  {
    title: 'R20-84: the fields of a trailer',
    limits: { maxHeaders: 5 },
    within: trailersOf('a: b\r\n'.repeat(5)),
    above: trailersOf('a: b\r\n'.repeat(6)),
    answer: '431 Request Header Fields Too Large',
    counted: 'refusedFields',
  },
  {
    title: 'R20-85: the size of a trailer',
    limits: { maxHeaderBytes: 500 },
    within: trailersOf(`a: ${'b'.repeat(495)}\r\n`),
    above: trailersOf(`a: ${'b'.repeat(496)}\r\n`),
    answer: '431 Request Header Fields Too Large',
    counted: 'refusedHeadSize',
  },
  {
    title: 'R20-88: a body of a length',
    limits: { maxBodyBytes: 10 },
    within: request('POST', '/', ['Content-Length: 10'], 'x'.repeat(10)),
    above: request('POST', '/', ['Content-Length: 11'], 'x'.repeat(11)),
    answer: '413 Content Too Large',
    counted: 'refusedBodySize',
  },
  {
    title: 'R20-88, 71 #211: a body in chunks',
    limits: { maxBodyBytes: 10 },
    within: chunksOf(10),
    above: chunksOf(11),
    answer: '413 Content Too Large',
    counted: 'refusedBodySize',
  },
]

/** Sizes and counts, at the limit and one above: R20-78, R20-82 to R20-88, R20-112, R20-113. */
export function limitCases(start: StartBench): void {
  for (const { title, limits, within, above, answer, counted } of SIZES) {
    it(`${title} passes at the limit, and is ${answer} and the end of the connection above it`, async () => {
      const bench = await start({ limits })
      bench.upstream.answer(OK)
      const client = await bench.send(within)
      await client.until('ok')
      expect(bench.counters.process(counted)).to.equal(0)
      client.write(above)
      const text = await client.untilEnd()
      expect(lineOf(text.slice(text.lastIndexOf('HTTP/1.1')))).to.equal(`HTTP/1.1 ${answer}`)
      expect(bench.counters.process(counted)).to.equal(1)
    })
  }

  for (const [title, limits, within, above] of [
    ['R20-113: fields', { maxResponseHeaders: 5 }, 'a: b\r\n'.repeat(4), 'a: b\r\n'.repeat(5)],
    ['R20-112: a head', { maxResponseHeaderBytes: 500 }, `a: ${'b'.repeat(400)}\r\n`, `a: ${'b'.repeat(500)}\r\n`],
  ] as const) {
    it(`${title} of a response pass at the limit, and are 502 above it`, async () => {
      const bench = await start({ limits })
      bench.upstream.answer(`HTTP/1.1 200 OK\r\n${within}Content-Length: 2\r\n\r\nok`)
      const client = await bench.get('/')
      await client.until('ok')
      bench.upstream.answer(`HTTP/1.1 200 OK\r\n${above}Content-Length: 2\r\n\r\nok`)
      client.write(request('GET', '/'))
      await client.until('HTTP/1.1 502 Bad Gateway')
      await bench.upstream.connections[0]?.untilEnd()
      bench.upstream.answer(OK)
      client.write(request('GET', '/'))
      await client.when(() => client.text.split('200 OK').length === 3, 'the third answer')
    })
  }

  it('R20-117: a body as big as the retry buffer is sent again, and a bigger one is not', async () => {
    for (const [bytes, answer] of [
      [100, '200 OK'],
      [101, '502 Bad Gateway'],
    ] as const) {
      const bench = await start({ limits: { retryBufferBytes: 100 } })
      bench.upstream.answer(OK)
      await (await bench.get('/first')).until('ok')
      const [pooled] = bench.upstream.connections
      bench.upstream.answerWith((head, connection) => {
        if (connection !== pooled) connection.write(OK)
        else if (head.startsWith('PUT')) void connection.until('x'.repeat(bytes)).then(() => connection.reset())
      })
      const client = await bench.send(request('PUT', '/', [`Content-Length: ${bytes}`], 'x'.repeat(bytes)))
      await client.until('\r\n\r\n')
      expect(lineOf(client.text), `${bytes} bytes`).to.equal(`HTTP/1.1 ${answer}`)
    }
  })
}
