// Section H of the table of probes against the program: each flood ends its own connection, and nobody else notices
// (R22-11 to R22-14, R70-54, R70-55).
import { readFileSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { type ClientHttp2Stream, connect } from 'node:http2'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { expect } from 'chai'
import { RawHttp2Client } from './fakes/h2-client.ts'
import {
  ACK,
  block,
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
  windowUpdate,
} from './fakes/h2-frames.ts'
import { listening } from './fakes/listening.ts'
import { temporaryFolder } from './fakes/temporary-folder.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const COMPRESSION_ERROR = 9
const CALM = 11
/** Within which a flooded connection is closed (71 #190). */
const CLOSE_MS = 5000
/** A turn of the loop that a flood takes up shows as more. */
const MAX_WAIT_MS = 1500
/** How much longer both may take, by how long a client of a process that nobody floods waits at the same time. */
const STALLS = 5
const MAX_GROWTH = 50 * 1024 * 1024

const HEAD: Fields = [
  [':method', 'GET'],
  [':scheme', 'http'],
  [':authority', 'a.example'],
  [':path', '/'],
]
const POST: Fields = HEAD.map(([name, value]) => [name, name === ':method' ? 'POST' : value])

interface Flood {
  readonly row: string
  readonly what: string
  /** GOAWAY codes that may stand last. */
  readonly codes: readonly number[]
  /** Sent once before the rest, which is sent until the connection is gone, at most `count` times. */
  readonly first?: Buffer
  readonly unit: (index: number) => Buffer
  readonly count: number
  /** Sent only when our SETTINGS were acknowledged. */
  readonly acknowledges?: boolean
}

const FLOODS: readonly Flood[] = [
  {
    row: '71 #190',
    what: 'rapid resets',
    codes: [CALM],
    unit: (index) => Buffer.concat([headers(index * 2 + 1, HEAD), rstStream(index * 2 + 1, 8)]),
    count: 3000,
  },
  {
    row: '71 #191',
    what: 'a WINDOW_UPDATE of 0 on a stream',
    codes: [PROTOCOL_ERROR],
    unit: (index) => Buffer.concat([headers(index * 2 + 1, POST, 0), windowUpdate(index * 2 + 1, 0)]),
    count: 1,
  },
  {
    row: '71 #191',
    what: 'requests that we reset',
    codes: [CALM, INTERNAL_ERROR],
    unit: (index) => headers(index * 2 + 1, [...HEAD, ['connection', 'close']]),
    count: 3000,
  },
  {
    row: '71 #193',
    what: 'empty CONTINUATION',
    codes: [INTERNAL_ERROR],
    first: frame(FRAME.headers, END_STREAM, 1, block(HEAD)),
    unit: () => frame(FRAME.continuation, 0, 1),
    count: 100_000,
  },
  {
    row: '71 #194',
    what: 'PING',
    codes: [CALM, INTERNAL_ERROR],
    unit: () => frame(FRAME.ping, 0, 0, Buffer.alloc(8)),
    count: 200_000,
  },
  { row: '71 #195', what: 'SETTINGS', codes: [CALM, INTERNAL_ERROR], unit: () => settings(), count: 100_000 },
  {
    row: '71 #197',
    what: 'PRIORITY',
    codes: [CALM],
    unit: (index) => frame(FRAME.priority, 0, (index % 1000) * 2 + 1, Buffer.concat([uint32(0), Buffer.of(1)])),
    count: 200_000,
  },
  {
    row: '71 #198',
    what: 'WINDOW_UPDATE of the connection',
    codes: [CALM],
    unit: () => windowUpdate(0, 1),
    count: 200_000,
  },
  {
    row: 'R22-12',
    what: 'empty DATA',
    codes: [CALM, INTERNAL_ERROR],
    first: headers(1, POST, 0),
    unit: () => data(1, ''),
    count: 200_000,
  },
  {
    row: '71 #199',
    what: 'streams that are left open',
    codes: [PROTOCOL_ERROR],
    unit: (index) => headers(index * 2 + 1, POST, 0),
    count: 20_000,
    acknowledges: true,
  },
  {
    row: '71 #202',
    what: 'a change of the HPACK table above its limit',
    codes: [COMPRESSION_ERROR],
    unit: () => frame(FRAME.headers, END_HEADERS | END_STREAM, 1, Buffer.of(0x3f, 0xe1, 0x7f)),
    count: 1,
  },
  {
    row: '71 #202',
    what: 'an HPACK integer without end',
    codes: [COMPRESSION_ERROR],
    unit: () =>
      frame(FRAME.headers, END_HEADERS | END_STREAM, 1, Buffer.concat([Buffer.of(0x7f), Buffer.alloc(20, 0xff)])),
    count: 1,
  },
]

/** Frames that no peer should send, of each type: of the wrong length, on the wrong stream, or where they cannot stand. */
const MALFORMED: readonly Buffer[] = Object.values(FRAME).flatMap((type) =>
  [0, 1, 2, 0x7fffffff].flatMap((stream) =>
    [0, 1, 3, 4, 5, 7, 8, 9, 100].map((length) =>
      frame(type, length % 2 === 0 ? 0xff : 0, stream, Buffer.alloc(length, 0xfe)),
    ),
  ),
)

for (const engine of ['wire', 'standard']) {
  describe(`R22-13: floods of HTTP/2 on ${engine}`, function () {
    this.timeout(60_000)
    const folder = temporaryFolder('floods')
    let origin: Server
    let ramjet: RamjetProcess
    let calm: RamjetProcess
    let port = 0
    let calmPort = 0
    before(async () => {
      origin = createServer((request, response) => request.resume().on('end', () => response.end('ok')))
      const routes = `defaultBackend: web\nbackends:\n  - {name: web, endpoints: ['127.0.0.1:${await listening(origin)}']}\n`
      writeFileSync(join(folder, 'routes.yaml'), routes)
      const place = [`--static-routes=${join(folder, 'routes.yaml')}`, '--http=127.0.0.1:0', '--no-https', '--no-admin']
      const flags = [...place, '--workers=1', '--shutdown-delay=0', `--engine=${engine}`]
      ramjet = new RamjetProcess(flags)
      calm = new RamjetProcess(flags)
      port = await portOf(ramjet)
      calmPort = await portOf(calm)
    })
    after(async () => {
      for (const one of [ramjet, calm]) {
        one.signal('SIGTERM')
        expect(await one.ended).to.equal(0)
      }
      origin.close()
    })

    for (const flood of FLOODS) {
      it(`${flood.row}: ${flood.what}`, async () => {
        const grownFrom = residentBytes(ramjet.pid)
        const bystander = await Bystander.start(port)
        const elsewhere = await Bystander.start(calmPort)
        const client = await RawHttp2Client.open(port)
        if (flood.acknowledges) await acknowledge(client)
        const began = performance.now()
        await send(client, flood)
        await client.untilClosed()
        const closedMs = performance.now() - began
        // The kernel may drop what was sent last where bytes of the flood were not read.
        expect(client.goawayCode()).to.be.oneOf(flood.count === 1 ? [...flood.codes] : [...flood.codes, undefined])
        const waitedMs = await bystander.stop()
        const stallMs = STALLS * (await elsewhere.stop())
        expect(closedMs, 'how long the flood lasted, in ms').to.be.below(CLOSE_MS + stallMs)
        expect(waitedMs, 'the 99th percentile of another client, in ms').to.be.below(MAX_WAIT_MS + stallMs)
        expect(residentBytes(ramjet.pid) - grownFrom).to.be.below(MAX_GROWTH)
      })
    }

    it('R22-14: malformed frames of every type leave the process and its other clients alone', async () => {
      const bystander = await Bystander.start(port)
      await Promise.all(
        MALFORMED.map(async (bytes) => {
          const client = await RawHttp2Client.open(port)
          client.send(headers(1, POST, 0), bytes)
          // What is ignored is ended by us.
          client.socket.end()
          await client.untilClosed()
        }),
      )
      await bystander.stop()
      expect(ramjet.lines().filter(({ level }) => level === 'error' || level === 'warn')).to.deep.equal([])
    })
  })
}

async function portOf(ramjet: RamjetProcess): Promise<number> {
  const { http } = await ramjet.logged('ramjet')
  return Number(String(http).split(':').at(-1))
}

async function acknowledge(client: RawHttp2Client): Promise<void> {
  await client.when(() => client.frames.some(({ type, flags }) => type === FRAME.settings && flags === 0))
  client.send(settings([], ACK))
}

const AT_ONCE = 500

async function send(client: RawHttp2Client, { first, unit, count }: Flood): Promise<void> {
  if (first) client.send(first)
  for (let at = 0; at < count && !client.isClosed; at += AT_ONCE) {
    const units = Array.from({ length: Math.min(AT_ONCE, count - at) }, (_none, index) => unit(at + index))
    await client.flood(Buffer.concat(units))
  }
}

function residentBytes(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? 0) * 1024
}

async function turn(): Promise<void> {
  await new Promise((resolve) => {
    setImmediate(resolve)
  })
}

/** A client that asks one thing after the other on a connection of its own. */
class Bystander {
  readonly #times: number[] = []
  #isOver = false
  readonly #ended: Promise<void>

  private constructor(port: number) {
    this.#ended = this.#ask(port)
  }

  static async start(port: number): Promise<Bystander> {
    const bystander = new Bystander(port)
    await bystander.#asked(20)
    bystander.#times.length = 0
    return bystander
  }

  /** The 99th percentile of what it waited since the start, in milliseconds. */
  async stop(): Promise<number> {
    await this.#asked(100)
    this.#isOver = true
    await this.#ended
    const sorted = this.#times.toSorted((a, b) => a - b)
    return sorted[Math.floor(sorted.length * 0.99)] ?? Number.POSITIVE_INFINITY
  }

  async #asked(count: number): Promise<void> {
    while (this.#times.length < count) await turn()
  }

  async #ask(port: number): Promise<void> {
    const session = connect(`http://127.0.0.1:${port}`)
    while (!this.#isOver) {
      const began = performance.now()
      const request = session.request({ ':path': '/', ':authority': 'a.example' })
      await untilClosed(request)
      this.#times.push(performance.now() - began)
    }
    session.destroy()
  }
}

function untilClosed(request: ClientHttp2Stream): Promise<void> {
  return new Promise((resolve) => {
    request.resume().once('close', resolve)
  })
}
