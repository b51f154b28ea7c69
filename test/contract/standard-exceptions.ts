import type { EngineException } from '../wire/wire-table.ts'

/**
 * What the standard engine cannot do because Node's parser does not let it (R20-182), and nothing else. Each entry is
 * tried anew in every run: one that is not needed any more fails it (R20-183).
 */
export const STANDARD_EXCEPTIONS: readonly EngineException[] = [
  {
    name: 'standard-unknown-method',
    reason: 'the parser knows a fixed set of methods',
    row: 'method-unknown',
    shows: 'always',
    instead: { answers: [400], ending: 'close', upstream: 'nothing' },
  },
  {
    name: 'standard-empty-lines',
    reason: 'the parser skips empty lines and does not say how many',
    row: 'lead-many-crlf',
    shows: 'always',
    instead: { answers: [200], ending: 'open', upstream: [{ line: 'GET / HTTP/1.1' }] },
  },
  ...['lead-lf', 'lead-cr'].map(
    (row): EngineException => ({
      name: 'standard-empty-lines',
      reason: 'the parser skips every CR and LF before a request',
      row,
      shows: 'always',
      instead: { answers: [200], ending: 'open', upstream: [{ line: 'GET / HTTP/1.1' }] },
    }),
  ),
  ...['line-spaces', 'line-spaces-later'].map(
    (row): EngineException => ({
      name: 'standard-line-spaces',
      reason: 'the parser skips further spaces in the request line',
      row,
      shows: 'always',
      instead: { answers: [200], ending: 'open', upstream: [{ line: 'GET / HTTP/1.1' }] },
    }),
  ),
  {
    name: 'standard-version-09',
    reason: 'the parser says HTTP/0.9 of a line that names it and of one that names none',
    row: 'ver-09',
    shows: 'always',
    instead: { answers: [400] },
  },
  {
    name: 'standard-proxy-connection',
    reason: 'the parser takes Proxy-Connection for Connection, and reads nothing behind a close',
    row: 'hop-proxy-close',
    shows: 'always',
    instead: { ending: 'close' },
  },
  {
    name: 'standard-coding-tab',
    reason: 'the parser takes a tab behind a coding for a part of its name',
    row: 'te-tab-behind',
    shows: 'always',
    instead: { answers: [400], ending: 'close', upstream: 'nothing' },
  },
  {
    name: 'standard-cut-head',
    reason: 'of a head in several reads, the parser shows the last one alone',
    row: 'hdr-huge-one',
    shows: 'always',
    instead: { answers: [414] },
  },
  {
    name: 'standard-cut-head',
    reason: 'of a head in several reads, the parser shows the last one alone',
    row: 'uri-huge',
    shows: 'always',
    instead: { answers: [431] },
  },
  {
    name: 'standard-cut-head',
    reason: 'a version is judged by the digits of one read',
    row: 'ver-bad-later',
    shows: 'cut',
    instead: { answers: [505] },
  },
  {
    name: 'standard-trailer-framing',
    reason: 'the parser takes a framing field in a trailer for one of the head',
    row: 'trailer-cl',
    shows: 'always',
    instead: { answers: [400], ending: 'close', upstream: 'unfinished' },
  },
  {
    name: 'standard-trailer-framing',
    reason: 'the parser takes a framing field in a trailer for one of the head',
    row: 'trailer-te',
    shows: 'always',
    instead: { answers: [400], ending: 'close', upstream: 'unfinished' },
  },
  {
    name: 'standard-trailer-framing',
    reason: 'the parser takes Connection in a trailer for one of the head, and reads nothing behind a close',
    row: 'trailer-connection',
    shows: 'always',
    instead: { ending: 'close' },
  },
  {
    name: 'standard-protocol-name',
    reason: 'the parser takes RTSP and says HTTP',
    row: 'ver-name-rtsp',
    shows: 'always',
    instead: { answers: [200], ending: 'close', upstream: [{ line: 'GET / HTTP/1.1' }] },
  },
  {
    name: 'standard-protocol-name',
    reason: 'the parser takes ICE behind SOURCE and says HTTP',
    row: 'ver-name-ice',
    shows: 'always',
    instead: { answers: [200], ending: 'close', upstream: [{ line: 'SOURCE / HTTP/1.1' }] },
  },
  {
    name: 'standard-chunk-extensions',
    reason: 'the parser counts the extensions of each chunk, and not those of the body',
    row: 'chunk-ext-many',
    shows: 'always',
    instead: {
      answers: [200],
      ending: 'open',
      upstream: [{ line: 'POST / HTTP/1.1', body: 'a'.repeat(30) }],
    },
  },
  ...['chunk-ext-no-name', 'chunk-ext-no-value', 'chunk-ext-empty'].map(
    (row): EngineException => ({
      name: 'standard-chunk-extensions',
      reason: 'the parser takes an extension that lacks its name or its value',
      row,
      shows: 'always',
      instead: { answers: [200], ending: 'open', upstream: [{ line: 'POST / HTTP/1.1', body: 'abc' }] },
    }),
  ),
]
