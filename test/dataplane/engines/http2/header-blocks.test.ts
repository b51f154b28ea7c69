// Section G of the table of probes: head blocks of HTTP/2 (R22-3, R22-4, R71-7, R71-8).
import { expect } from 'chai'
import { EngineBench, HOST } from '../../../contract/engine/bench.ts'
import { RawHttp2Client } from '../../../fakes/h2-client.ts'
import { type Fields, headers } from '../../../fakes/h2-frames.ts'
import { ENGINE_FACTORIES } from './engines.ts'

const PROTOCOL_ERROR = 1
const INTERNAL_ERROR = 2
const COMPRESSION_ERROR = 9
const ENHANCE_YOUR_CALM = 11

/** What comes of a head: a status, the code of a reset, or the field is absent everywhere. */
type Outcome =
  | { readonly status: number; readonly upstream?: readonly string[]; readonly without?: readonly string[] }
  | { readonly reset: number }
  | { readonly absent: string }

interface Row {
  readonly row: string
  readonly id: string
  readonly head: Fields
  readonly outcome: Outcome
}

type Field = readonly [string, string]

const METHOD: Field = [':method', 'GET']
const SCHEME: Field = [':scheme', 'http']
const AUTHORITY: Field = [':authority', HOST]
const PATH: Field = [':path', '/x']

/** A good head with these fields behind it. */
function plus(...fields: Fields): Fields {
  return [METHOD, SCHEME, AUTHORITY, PATH, ...fields]
}

/** A good head with another value of one pseudo field. */
function as(name: string, value: string): Fields {
  return plus().map(([key, was]) => [key, key === name ? value : was])
}

const RESET: Outcome = { reset: PROTOCOL_ERROR }
const MALFORMED: Outcome = { status: 400 }

const ROWS: readonly Row[] = [
  { row: '71 #138', id: 'name-upper', head: plus(['X-Upper', '1']), outcome: RESET },
  { row: '71 #139', id: 'val-crlf', head: plus(['x-a', 'b\r\nx-evil: 1']), outcome: { absent: 'x-evil' } },
  { row: '71 #141', id: 'val-nul', head: plus(['x-evil', 'a\0b']), outcome: { absent: 'x-evil' } },
  {
    row: '71 #142',
    id: 'val-lead-sp',
    head: plus(['x-a', '  b']),
    outcome: { status: 200, upstream: ['x-a: b'] },
  },
  { row: '71 #143', id: 'name-space', head: plus(['x evil', '1']), outcome: { absent: 'x evil' } },
  { row: '71 #145', id: 'name-crlf', head: plus(['x-a\r\nx-evil', '1']), outcome: { absent: 'x-evil' } },
  { row: '71 #146', id: 'name-empty', head: plus(['', 'evil']), outcome: { absent: 'evil' } },
  { row: '71 #147', id: 'connection', head: plus(['connection', 'close']), outcome: RESET },
  { row: '71 #149', id: 'upgrade', head: plus(['upgrade', 'websocket']), outcome: RESET },
  { row: '71 #150', id: 'te-gzip', head: plus(['te', 'gzip']), outcome: RESET },
  { row: '71 #151', id: 'te-trailers', head: plus(['te', 'trailers']), outcome: { status: 200 } },
  {
    row: '71 #153',
    id: 'auth-host-same',
    head: plus(['host', HOST]),
    outcome: { status: 200, upstream: [`host: ${HOST}`] },
  },
  { row: '71 #154', id: 'two-host', head: [METHOD, SCHEME, PATH, ['host', HOST], ['host', HOST]], outcome: RESET },
  {
    row: '71 #155',
    id: 'no-authority-host',
    head: [METHOD, SCHEME, PATH, ['host', HOST]],
    outcome: { status: 200, upstream: [`host: ${HOST}`] },
  },
  { row: '71 #157', id: 'auth-userinfo', head: as(':authority', 'u@shop.example'), outcome: RESET },
  { row: '71 #158', id: 'auth-empty', head: as(':authority', ''), outcome: RESET },
  { row: '71 #159', id: 'auth-space', head: as(':authority', 'shop .example'), outcome: RESET },
  { row: '71 #161', id: 'auth-comma', head: as(':authority', 'shop.example,b.example'), outcome: MALFORMED },
  { row: '71 #162', id: 'path-empty', head: as(':path', ''), outcome: RESET },
  { row: '71 #163', id: 'path-noslash', head: as(':path', 'foo'), outcome: RESET },
  { row: '71 #165', id: 'path-space', head: as(':path', '/a b'), outcome: RESET },
  { row: '71 #166', id: 'path-crlf', head: as(':path', '/a\r\nx: y'), outcome: RESET },
  { row: '71 #167', id: 'path-frag', head: as(':path', '/a#b'), outcome: MALFORMED },
  { row: '71 #169', id: 'path-star', head: as(':path', '*'), outcome: RESET },
  { row: '71 #170', id: 'path-at', head: as(':path', '@evil.example/'), outcome: RESET },
  { row: '71 #171', id: 'method-space', head: as(':method', 'GET /x HTTP/1.1'), outcome: RESET },
  { row: '71 #173', id: 'scheme-bad', head: as(':scheme', 'http://evil/?'), outcome: RESET },
  { row: '71 #174', id: 'scheme-ftp', head: as(':scheme', 'ftp'), outcome: MALFORMED },
  {
    row: '71 #175',
    id: 'scheme-https-in-plaintext',
    head: as(':scheme', 'https'),
    outcome: { status: 200, upstream: ['X-Forwarded-Proto: http'] },
  },
  { row: '71 #177', id: 'pseudo-dup', head: [METHOD, SCHEME, AUTHORITY, PATH, PATH], outcome: RESET },
  { row: '71 #178', id: 'pseudo-unknown', head: [METHOD, SCHEME, AUTHORITY, PATH, [':foo', '1']], outcome: RESET },
  { row: '71 #179', id: 'pseudo-status', head: [METHOD, SCHEME, AUTHORITY, PATH, [':status', '200']], outcome: RESET },
  { row: '71 #181', id: 'cl-dup-diff', head: plus(['content-length', '0'], ['content-length', '5']), outcome: RESET },
  { row: '71 #182', id: 'cl-plus', head: plus(['content-length', '+0']), outcome: RESET },
  { row: '71 #183', id: 'connect', head: [[':method', 'CONNECT'], AUTHORITY], outcome: { status: 405 } },
  { row: '71 #185', id: 'hdr-proto', head: plus(['__proto__', '1']), outcome: { status: 200 } },
  {
    row: '71 #186',
    id: 'underscore',
    head: plus(['x_forwarded_for', '192.0.2.1']),
    outcome: { status: 200, without: ['192.0.2.1'] },
  },
  {
    row: '71 #187',
    id: 'many-150',
    head: plus(...times(150, (index) => [`x-${index}`, '1'])),
    outcome: { status: 200 },
  },
  {
    row: '71 #189',
    id: 'cookie-200',
    head: plus(...times(200, (index) => ['cookie', `c${index}=1`])),
    outcome: { status: 200, upstream: [`cookie: ${times(200, (index) => `c${index}=1`).join('; ')}`] },
  },
  { row: 'of its kind', id: 'protocol-get', head: plus([':protocol', 'websocket']), outcome: RESET },
  { row: 'of its kind', id: 'auth-host-differ', head: plus(['host', 'b.example']), outcome: MALFORMED },
  { row: 'of its kind', id: 'host-other-port', head: plus(['host', `${HOST}:81`]), outcome: MALFORMED },
  {
    row: 'R20-99',
    id: 'crumbs counted one by one',
    head: plus(...times(257, (index) => ['cookie', `c${index}=1`])),
    outcome: { status: 431 },
  },
  { row: 'R20-99', id: 'a field too many', head: plus(...times(257, () => ['x-a', '1'])), outcome: { status: 431 } },
  {
    row: 'R20-99',
    id: 'more fields than HTTP/1.1 may have',
    head: plus(...times(250, () => ['x-a', '1'])),
    outcome: { status: 200 },
  },
  {
    row: 'R20-100',
    id: '32 bytes for each field',
    head: plus(['x-a', 'b'.repeat(64 * 1024 - 200)]),
    outcome: { status: 431 },
  },
]

interface FarAbove {
  readonly what: string
  readonly head: Fields
  readonly reset: number | undefined
  readonly goaway: number | undefined
}

const FAR_ABOVE: readonly FarAbove[] = [
  {
    what: 'more fields than twice the limit',
    head: plus(...times(513, () => ['x-a', '1'])),
    reset: ENHANCE_YOUR_CALM,
    goaway: undefined,
  },
  {
    what: '64 KiB in one field and more',
    head: plus(['x-a', 'b'.repeat(66_000)]),
    reset: undefined,
    goaway: COMPRESSION_ERROR,
  },
  {
    what: 'more than 8 CONTINUATION frames',
    head: plus(...times(10, (index) => [`x-${index}`, 'b'.repeat(16_000)])),
    reset: undefined,
    goaway: INTERNAL_ERROR,
  },
]

function times<const T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_none, index) => make(index))
}

for (const [engine, makeEngine] of ENGINE_FACTORIES) {
  describe(`heads of HTTP/2 on ${engine}`, () => {
    let bench: EngineBench
    before(async () => {
      bench = await EngineBench.start(makeEngine, { http2: {} })
      bench.upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n')
    })
    after(() => bench.stop())

    for (const { what, head, reset, goaway } of FAR_ABOVE) {
      it(`R22-5: ${what} are the library's to refuse`, async () => {
        const seen = bench.upstream.text.length
        const client = await RawHttp2Client.open(bench.port)
        client.send(headers(1, head))
        await client.when(() => client.resetCode() !== undefined || client.goawayCode() !== undefined)
        expect({ reset: client.resetCode(), goaway: client.goawayCode() }).to.deep.equal({ reset, goaway })
        expect(bench.upstream.text).to.have.length(seen)
        client.socket.destroy()
        await bench.when(() => bench.lane?.load().connections === 0)
      })
    }

    for (const { row, id, head, outcome } of ROWS) {
      it(`${row} ${id}: ${JSON.stringify(outcome).slice(0, 100)}`, async () => {
        const seen = bench.upstream.text.length
        const client = await RawHttp2Client.open(bench.port)
        client.send(headers(1, head))
        await client.when(() => client.status() !== undefined || client.resetCode() !== undefined)
        const reached = (): string => bench.upstream.text.slice(seen)
        if ('absent' in outcome) expect(reached()).to.not.include(outcome.absent)
        else if ('reset' in outcome) {
          expect(client.resetCode()).to.equal(outcome.reset)
          expect(reached()).to.equal('')
        } else {
          expect(client.status()).to.equal(outcome.status)
          for (const line of outcome.upstream ?? []) expect(reached().split('\r\n')).to.include(line)
          for (const text of outcome.without ?? []) expect(reached()).to.not.include(text)
          if (outcome.status >= 400) expect(reached()).to.equal('')
        }
        expect(client.isClosed).to.equal(false)
        client.socket.destroy()
        await bench.when(() => bench.lane?.load().connections === 0)
      })
    }
  })
}
