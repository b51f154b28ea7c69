import { HOST, LOOK_MS } from '../wire-bench.ts'
import { brokenOff, chunked, get, post, refused, served, type WireRow } from '../wire-row.ts'

const LOOKED_AT = { checkIntervalMs: LOOK_MS }
const SMALL = { settings: { limits: { maxBodyBytes: 5 } } }
/** More than the kernel takes for a client that does not read. */
const MUCH = 24 * 1024 * 1024

/**
 * Section I, as far as it is an engine's. #207 waits for a TLS handshake; #209 and #210 are about connections that no
 * engine sees (test/dataplane/listener.test.ts, test/descriptors.test.ts).
 */
export const SLOW: readonly WireRow[] = [
  // At most 1 s late, and where its first bytes came with a good request the count may begin at the next.
  {
    ...refused([203, 'slow-head', `GET / HTTP/1.1\r\nHost: ${HOST}\r\nX: `], 408),
    settings: { limits: LOOKED_AT },
    pace: { kind: 'trickle', bytes: 'trickling', everyMs: 1000, lastMs: 2000 },
    shapes: 'few',
  },
  {
    ...brokenOff([205, 'slow-body', post(['Content-Length: 1000'], 'x')], 408),
    settings: { limits: LOOKED_AT },
    pace: { kind: 'trickle', bytes: 'xxxxx', everyMs: 10_000, lastMs: 10_000 },
    shapes: 'few',
  },
  {
    ...brokenOff([undefined, 'slow-chunks', chunked('1\r\nx\r\n')], 408),
    settings: { limits: LOOKED_AT },
    pace: { kind: 'trickle', bytes: '1\r\nx\r', everyMs: 10_000, lastMs: 10_000 },
    shapes: 'few',
  },
  served(
    [206, 'slow-reader', get()],
    { line: 'GET / HTTP/1.1' },
    {
      answers: [],
      ending: 'cut',
      rest: /x$/,
      origin: { answer: `HTTP/1.1 200 OK\r\nContent-Length: ${MUCH}\r\n\r\n${'x'.repeat(MUCH)}` },
      settings: { limits: LOOKED_AT },
      pace: { kind: 'deaf' },
      shapes: 'few',
    },
  ),
  { ...refused([211, 'big-body-length', post(['Content-Length: 6'], 'abcdef')], 413), ...SMALL },
  { ...brokenOff([211, 'big-body-chunks', chunked('3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n')], 413), ...SMALL },
  {
    ...served([undefined, 'body-at-limit', post(['Content-Length: 5'], 'abcde')], {
      line: 'POST / HTTP/1.1',
      body: 'abcde',
    }),
    ...SMALL,
  },
]
