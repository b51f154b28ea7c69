import { FAREWELL } from '../origin.ts'
import { HOST } from '../wire-bench.ts'
import { get, getOf, message, post, refused, served, type WantedRequest, type WireRow } from '../wire-row.ts'

const GOT: WantedRequest = { line: 'GET / HTTP/1.1' }
const SWITCH = ['Connection: Upgrade', 'Upgrade: websocket']

/** A row whose request is good and whose response, the bytes of an origin, is not: answered 502. */
function broken(number: number | undefined, id: string, answer: string, ends: boolean = false): WireRow {
  return served([number, id, get()], GOT, { answers: [502], origin: { answer, ends } })
}

/** A row whose response breaks off behind `rest`: what the client has of it shows that there is more (R20-59). */
function short(id: string, answer: string, rest: RegExp): WireRow {
  return served([218, id, get()], GOT, { answers: [], ending: 'cut', rest, origin: { answer, ends: true } })
}

function head(lines: readonly string[], body: string = '', line: string = 'HTTP/1.1 200 OK'): string {
  return message(line, lines, body)
}

/** Section J: responses of upstreams. */
export const RESPONSES: readonly WireRow[] = [
  broken(213, 'response-te-cl', head(['Transfer-Encoding: chunked', 'Content-Length: 2'], '2\r\nok\r\n0\r\n\r\n')),
  broken(undefined, 'response-cl-te', head(['Content-Length: 2', 'Transfer-Encoding: chunked'], 'ok')),
  broken(214, 'response-two-cl', head(['Content-Length: 2', 'Content-Length: 2'], 'ok')),
  broken(undefined, 'response-two-cl-differ', head(['Content-Length: 2', 'Content-Length: 3'], 'ok')),
  broken(undefined, 'response-cl-list', head(['Content-Length: 2, 2'], 'ok')),
  broken(undefined, 'response-cl-plus', head(['Content-Length: +2'], 'ok')),
  broken(215, 'response-two-te', head(['Transfer-Encoding: chunked', 'Transfer-Encoding: chunked'], '0\r\n\r\n')),
  broken(undefined, 'response-te-gzip', head(['Transfer-Encoding: gzip'], 'ok'), true),
  served([217, 'response-extra', get()], GOT, {
    origin: { answer: head(['Content-Length: 2'], 'okHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil') },
  }),
  short('response-short', head(['Content-Length: 10'], 'short'), /\nshort$/),
  short('response-short-chunk', head(['Transfer-Encoding: chunked'], '5\r\nsho'), /\nsho(?:\r\n)?$/),
  short('response-no-last-chunk', head(['Transfer-Encoding: chunked'], '2\r\nok\r\n'), /\nok\r\n$/),
  broken(219, 'response-unasked-101', head(SWITCH, '', 'HTTP/1.1 101 Switching Protocols')),
  served([221, 'response-204-body', get()], GOT, {
    answers: [204],
    origin: { answer: head(['Content-Length: 4'], 'evil', 'HTTP/1.1 204 No Content') },
  }),
  broken(222, 'response-status-999', head(['Content-Length: 2'], 'ok', 'HTTP/1.1 999 No')),
  broken(undefined, 'response-status-99', head(['Content-Length: 2'], 'ok', 'HTTP/1.1 99 No'), true),
  broken(223, 'response-http09', '<html>old</html>', true),
  broken(undefined, 'response-bare-lf', 'HTTP/1.1 200 OK\nContent-Length: 2\n\nok', true),
  broken(undefined, 'response-fold', head(['A: b', ' c', 'Content-Length: 2'], 'ok'), true),
  broken(undefined, 'response-name', head(['A : b', 'Content-Length: 2'], 'ok'), true),
  broken(undefined, 'response-nul', head(['A: \0', 'Content-Length: 2'], 'ok'), true),
  broken(225, 'response-1001-fields', head([...Array.from({ length: 1000 }, () => 'a: b'), 'Content-Length: 2'], 'ok')),
  served(
    [229, 'pooled-reset', get('/warm') + get()],
    { line: 'GET /warm HTTP/1.1' },
    {
      answers: [200, 200],
      upstream: [{ line: 'GET /warm HTTP/1.1' }, GOT],
      origin: { answer: head(['Content-Length: 2'], 'ok'), resetsReused: true },
      shapes: 'apart',
    },
  ),
  served(
    [undefined, 'pooled-reset-post', get('/warm') + post(['Content-Length: 3'], 'abc')],
    { line: 'GET /warm HTTP/1.1' },
    {
      answers: [200, 502],
      origin: { answer: head(['Content-Length: 2'], 'ok'), resetsReused: true },
      shapes: 'apart',
    },
  ),
  broken(226, 'response-head-40k', head([`A: ${'a'.repeat(40_000)}`, 'Content-Length: 2'], 'ok')),
]

const CLAIMS = ['X-Forwarded-For', 'X-Forwarded-Host', 'X-Forwarded-Port', 'X-Forwarded-Proto', 'X-Real-IP']

/** Section K, as far as it needs neither TLS nor a header before the request: upgrades and what a stranger claims. */
export const UPGRADES_AND_CLAIMS: readonly WireRow[] = [
  served([242, 'ws-101-without-upgrade', get()], GOT, {
    answers: [502],
    origin: { answer: head(SWITCH, '', 'HTTP/1.1 101 Switching Protocols') },
  }),
  served(
    [243, 'ws-403', get('/', SWITCH)],
    { ...GOT, fields: SWITCH },
    { answers: [403], origin: { answer: head(['Content-Length: 4'], '403 ', 'HTTP/1.1 403 Forbidden') } },
  ),
  served(
    [245, 'early-bytes-held', `${get('/', SWITCH)}early`],
    { ...GOT, fields: SWITCH, body: 'early' },
    {
      answers: [101],
      ending: 'cut',
      rest: new RegExp(`^${FAREWELL}$`),
      origin: { answer: head(SWITCH, '', 'HTTP/1.1 101 Switching Protocols'), awaits: 'early' },
      shapes: 'few',
    },
  ),
  served(
    [undefined, 'early-bytes-dropped', get('/', SWITCH) + get('/smuggled')],
    { ...GOT, fields: SWITCH },
    {
      answers: [403],
      ending: 'close',
      origin: { answer: head(['Content-Length: 4'], '403 ', 'HTTP/1.1 403 Forbidden') },
      shapes: 'few',
    },
  ),
  {
    ...refused([undefined, 'early-bytes-nobody', getOf('nobody.example', '/', SWITCH) + get('/smuggled')], 404),
    shapes: 'few',
  },
  served(
    [
      246,
      'claims-of-a-stranger',
      get('/', [...CLAIMS.map((name) => `${name}: 192.0.2.9`), 'X-Forwarded-Prefix: /evil']),
    ],
    {
      ...GOT,
      fields: [
        'X-Forwarded-For: 127.0.0.1',
        'X-Real-IP: 127.0.0.1',
        `X-Forwarded-Host: ${HOST}`,
        'X-Forwarded-Proto: http',
        'X-Original-Forwarded-For: 192.0.2.9',
      ],
      without: ['x-forwarded-prefix'],
    },
  ),
  served([247, 'claims-in-disguise', get('/', ['X_Real_IP: 192.0.2.9', 'X.Real.IP: 192.0.2.9', 'X.Scheme: https'])], {
    ...GOT,
    without: ['x_real_ip', 'x.real.ip', 'x.scheme'],
  }),
]
