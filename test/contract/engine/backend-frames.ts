// What a peer may say that Node's own servers never would, and what it hears.
import { expect } from 'chai'
import { RawHttp2Client } from '../../fakes/h2-client.ts'
import {
  data,
  END_HEADERS,
  END_STREAM,
  type Fields,
  FRAME,
  frame,
  headers,
  rstStream,
  settings,
  uint32,
} from '../../fakes/h2-frames.ts'
import { type FramesHandler, RawHttp2Origin } from '../../fakes/h2-origin.ts'
import type { StartBench } from '../engine.ts'
import { type BenchOptions, type EngineBench, HOST, lineOf, request } from './bench.ts'
import { type Answer, CLIENTS, type Question } from './matrix-clients.ts'

const NO_ERROR = 0
const INTERNAL_ERROR = 2
const CANCEL = 8
const ONE = 1

/** Of SETTINGS. */
const INITIAL_WINDOW = 4

const OK: Fields = [[':status', '200']]
const ASKED: Fields = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', HOST],
  [':path', '/'],
]
const FAULT: Partial<Answer> = {
  status: 502,
  body: '502 Bad Gateway: the upstream gave no valid response.\n',
  isWhole: true,
}
const CUT: Partial<Answer> = { status: 200, isWhole: false }

function whole(body: string, status = 200): Partial<Answer> {
  return { status, body, isWhole: true }
}

interface Row {
  readonly title: string
  /** What the first stream is answered with. */
  readonly frames: readonly Buffer[]
  readonly answer: Partial<Answer>
  readonly question?: Question
  /** The connection ends behind the frames. */
  readonly ends?: true
}

const GET: Question = { method: 'GET', path: '/' }
const HEAD: Question = { method: 'HEAD', path: '/' }
const PIECE = data(ONE, 'piece')

function head(fields: Fields, flags = 0): Buffer {
  return headers(ONE, fields, flags)
}

function goaway(lastStream: number, code: number): Buffer {
  return frame(FRAME.goaway, 0, 0, Buffer.concat([uint32(lastStream), uint32(code)]))
}

/** A head block in two frames. */
function inTwo(fields: Fields): readonly Buffer[] {
  const payload = head(fields).subarray(9)
  return [
    frame(FRAME.headers, 0, ONE, payload.subarray(0, 3)),
    frame(FRAME.continuation, END_HEADERS, ONE, payload.subarray(3)),
  ]
}

const ROWS: readonly Row[] = [
  { title: 'R20-69: a head without a status is none', frames: [head([['x-a', '1']], END_STREAM)], answer: FAULT },
  { title: 'R20-69: two statuses are none', frames: [head([...OK, [':status', '404']], END_STREAM)], answer: FAULT },
  { title: '71 #222: a status above 599 is none', frames: [head([[':status', '999']], END_STREAM)], answer: FAULT },
  { title: '71 #222: a status of two digits is none', frames: [head([[':status', '99']], END_STREAM)], answer: FAULT },
  { title: '71 #219: 101 is none', frames: [head([[':status', '101']]), PIECE], answer: FAULT },
  { title: 'R20-69: a pseudo field of requests', frames: [head([...OK, [':path', '/']], END_STREAM)], answer: FAULT },
  {
    title: 'R20-69: a field of the connection',
    frames: [head([...OK, ['connection', 'x']], END_STREAM)],
    answer: FAULT,
  },
  {
    title: '71 #214: two lengths',
    frames: [head([...OK, ['content-length', '1'], ['content-length', '2']])],
    answer: FAULT,
  },
  { title: 'R20-69: data before the head', frames: [PIECE, head(OK, END_STREAM)], answer: FAULT },
  {
    title: 'R20-69: an interim head that ends the stream',
    frames: [head([[':status', '103']], END_STREAM)],
    answer: FAULT,
  },
  {
    title: 'R20-69: a pushed response',
    frames: [frame(FRAME.pushPromise, END_HEADERS, ONE, uint32(2))],
    answer: FAULT,
  },
  { title: 'R20-69: a reset in place of a head', frames: [rstStream(ONE, NO_ERROR)], answer: FAULT },
  {
    title: 'R20-55: interim heads pass before the one that counts',
    frames: [head([[':status', '103']]), head(OK), data(ONE, 'ok', END_STREAM)],
    answer: whole('ok'),
  },
  { title: 'a head in several frames', frames: [...inTwo(OK), data(ONE, 'ok', END_STREAM)], answer: whole('ok') },
  {
    title: 'padding, and frames of a type that nobody knows',
    frames: [
      head(OK),
      frame(FRAME.data, 0x8, ONE, Buffer.from('\x02okxx', 'latin1')),
      frame(0x77, 0, ONE, Buffer.alloc(5)),
      data(ONE, '', END_STREAM),
    ],
    answer: whole('ok'),
  },
  {
    title: '71 #221: 204 with a body',
    frames: [head([[':status', '204']]), PIECE, data(ONE, '', END_STREAM)],
    answer: whole('', 204),
  },
  {
    title: '71 #221: 304 with a body',
    frames: [head([[':status', '304']]), PIECE, data(ONE, '', END_STREAM)],
    answer: whole('', 304),
  },
  {
    title: '71 #221: an answer to HEAD with a body',
    question: HEAD,
    frames: [head([...OK, ['content-length', '5']]), PIECE, data(ONE, '', END_STREAM)],
    answer: whole(''),
  },
  {
    title: 'R20-55: an answer to HEAD with the length of what it is not',
    question: HEAD,
    frames: [head([...OK, ['content-length', '5']], END_STREAM)],
    answer: whole(''),
  },
  {
    title: '71 #218: a body shorter than its length',
    frames: [head([...OK, ['content-length', '9']]), data(ONE, 'piece', END_STREAM)],
    answer: CUT,
  },
  {
    title: '71 #217: a body longer than its length',
    frames: [head([...OK, ['content-length', '9']]), PIECE, data(ONE, 'pieces', END_STREAM)],
    answer: CUT,
  },
  { title: 'R20-59: a reset without an error', frames: [head(OK), PIECE, rstStream(ONE, NO_ERROR)], answer: CUT },
  { title: 'R20-59: a reset with one', frames: [head(OK), PIECE, rstStream(ONE, INTERNAL_ERROR)], answer: CUT },
  { title: 'R20-59: a reset by CANCEL', frames: [head(OK), PIECE, rstStream(ONE, CANCEL)], answer: CUT },
  { title: 'R20-59: the end of the connection', frames: [head(OK), PIECE], ends: true, answer: CUT },
  {
    title: 'R20-59: GOAWAY and the end of the connection',
    frames: [head(OK), PIECE, goaway(ONE, NO_ERROR)],
    ends: true,
    answer: CUT,
  },
  { title: 'R22-19: GOAWAY with an error', frames: [head(OK), PIECE, goaway(ONE, INTERNAL_ERROR)], answer: CUT },
  {
    title: 'R22-19: GOAWAY without one, and the rest',
    frames: [head(OK), goaway(ONE, NO_ERROR), data(ONE, 'ok', END_STREAM)],
    answer: whole('ok'),
  },
  {
    title: 'a reset without an error behind the end',
    frames: [head(OK), data(ONE, 'ok', END_STREAM), rstStream(ONE, NO_ERROR)],
    answer: whole('ok'),
  },
  { title: 'R20-59: a second head in the body', frames: [head(OK), PIECE, head(OK)], answer: CUT },
  { title: 'R20-59: trailers with a pseudo field', frames: [head(OK), PIECE, head(OK, END_STREAM)], answer: CUT },
  {
    title: 'R20-69: a length where nothing follows',
    frames: [head([...OK, ['content-length', '5']], END_STREAM)],
    answer: FAULT,
  },
  {
    title: 'R22-20: trailers that are announced, though there is a length',
    frames: [head([...OK, ['content-length', '5'], ['trailer', 'x-came']]), PIECE, head([['x-came', '1']], END_STREAM)],
    answer: { ...whole('piece'), came: '1' },
  },
  {
    title: 'R22-20: trailers',
    frames: [head(OK), PIECE, head([['x-came', '1']], END_STREAM)],
    answer: { ...whole('piece'), came: '1' },
  },
]

/** Single frames towards backends and from them: 71 J in HTTP/2, R20-59, R20-69, R22-19. */
export function backendFrameCases(start: StartBench): void {
  const origins: RawHttp2Origin[] = []

  afterEach(() => {
    for (const origin of origins.splice(0)) origin.stop()
  })

  const begin = async (
    handler: FramesHandler,
    options: BenchOptions = {},
  ): Promise<{ readonly bench: EngineBench; readonly origin: RawHttp2Origin }> => {
    const origin = await RawHttp2Origin.start(handler)
    origins.push(origin)
    const backend = { protocol: 'h2c' } as const
    return { origin, bench: await start({ endpoints: [origin.address], backend, http2: {}, ...options }) }
  }

  for (const client of CLIENTS.filter(({ hasTrailers }) => hasTrailers)) {
    describe(`what ${client.version} clients are told of`, () => {
      for (const { title, frames, answer, question = GET, ends } of ROWS) {
        it(title, async () => {
          // Each try is answered alike, so that nothing hangs on how many there are.
          const { bench } = await begin((end, stream) => {
            end.send(...frames.map((one) => onStream(one, stream)))
            if (ends) end.socket.end()
          })
          expect(await client.ask(bench, question)).to.deep.include(answer)
          await bench.when(() => bench.counters.process('requestsInFlight') === 0)
          expect(bench.counters.inFlight(1)).to.equal(0)
        })
      }
    })
  }

  it('R20-129: what is no response is no dead session: it is not asked for again, and the session goes on', async () => {
    let asked = 0
    const { bench, origin } = await begin((end, stream) => {
      asked += 1
      end.send(headers(stream, asked === 2 ? [[':status', '999']] : OK))
    })
    for (const status of [200, 502, 200]) {
      const text = await (await bench.get('/')).until('\r\n\r\n')
      expect(lineOf(text)).to.include(` ${status} `)
    }
    expect(asked).to.equal(3)
    expect(origin.ends).to.have.length(1)
    expect(bench.counters.process('retriesReused')).to.equal(0)
  })

  it('R20-59: a peer that has said all and goes takes nothing of it along, however slow the client is', async () => {
    const { bench, origin } = await begin(
      (end, stream) => {
        const pieces = Array.from({ length: 5 }, (_none, index) =>
          data(stream, 'x'.repeat(10_000), index === 4 ? 1 : 0),
        )
        end.send(headers(stream, OK, 0), ...pieces).socket.end()
      },
      { settings: { connectionBufferBytes: 8192 } },
    )
    const client = await RawHttp2Client.open(bench.port)
    client.send(settings([[INITIAL_WINDOW, 0]]), headers(ONE, ASKED))
    await client.when(() => client.status() === 200)
    await bench.when(() => origin.ends[0]?.isClosed === true)
    client.send(settings([[INITIAL_WINDOW, 65_535]]))
    await client.when(() => client.hasEnded() || client.resetCode() !== undefined)
    expect(client.resetCode()).to.equal(undefined)
    expect(client.body()).to.equal('x'.repeat(50_000))
    client.socket.destroy()
  })

  describe('R71-3: an upload that breaks off is reset, and never looks whole', () => {
    for (const [what, line, part] of [
      ['with a length', 'Content-Length: 10', 'abc'],
      ['in chunks', 'Transfer-Encoding: chunked', '3\r\nabc\r\n'],
    ] as const) {
      it(`${what}, where its client goes`, async () => {
        const { bench, origin } = await begin(() => undefined)
        const client = await bench.send(request('POST', '/', [line], part))
        await bench.when(() => origin.ends[0]?.body() === 'abc')
        client.reset()
        await bench.when(() => origin.ends[0]?.resetCode() !== undefined)
        expect(origin.ends[0]?.resetCode()).to.equal(CANCEL)
        expect(origin.ends[0]?.hasEnded()).to.equal(false)
        await bench.when(() => bench.counters.process('requestsInFlight') === 0)
      })

      it(`${what}, where it was answered early`, async () => {
        const { bench, origin } = await begin((end) => end.send(head(OK), data(ONE, 'early', END_STREAM)))
        const client = await bench.send(request('POST', '/', [line, 'Connection: close'], part))
        await client.until('early')
        await bench.when(() => origin.ends[0]?.resetCode() !== undefined)
        expect(origin.ends[0]?.hasEnded()).to.equal(false)
        client.reset()
        await bench.when(() => bench.counters.process('requestsInFlight') === 0)
      })
    }
  })
}

/** The same frame on another stream. */
function onStream(bytes: Buffer, stream: number): Buffer {
  const moved = Buffer.from(bytes)
  if (moved.readUInt32BE(5) === ONE) moved.writeUInt32BE(stream, 5)
  return moved
}
