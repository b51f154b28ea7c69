import type { EngineSettings } from '../../src/dataplane/engine.ts'
import type { OriginScript } from './origin.ts'
import { HOST } from './wire-bench.ts'

/** A request as it must have reached the origin, whole. */
export interface WantedRequest {
  readonly line: string
  /** Field lines that are there, each once. */
  readonly fields?: readonly string[]
  /** Names (lower case) that are not there. */
  readonly without?: readonly string[]
  /** Default: empty. */
  readonly body?: string
  /** Default: none. */
  readonly trailers?: readonly string[]
}

/** What a row of the table of probes must lead to. */
export interface WantedOutcome {
  /** Statuses in order, interim ones too. */
  readonly answers: readonly number[]
  /** `open`: the next request on the connection is served. `cut`: it ends, and no answer says that it will. */
  readonly ending: 'close' | 'open' | 'cut'
  /** How the bytes behind the last whole answer end; default: there are none. */
  readonly rest?: RegExp
  /** `unfinished`: a head may have come, but no whole request. */
  readonly upstream: 'nothing' | 'unfinished' | readonly WantedRequest[]
}

/** One row of the table of probes: bytes of a client, and what they lead to. */
export interface WireRow extends WantedOutcome {
  /** `71 #NUMBER`; `undefined` for a case of the same kind as a row. */
  readonly number: number | undefined
  readonly id: string
  /** As latin1. */
  readonly bytes: string
  readonly origin?: OriginScript
  readonly settings?: Partial<EngineSettings>
  /** Default: in every shape, any number at a time. `apart`: what others do would change what comes of it. */
  readonly shapes?: 'few' | 'apart'
  /** The client behind `bytes`; default: it reads, and sends nothing more. */
  readonly pace?: Pace
}

/** `trickle`: `bytes` follow one by one, each `everyMs` after the last, and `lastMs` later the answer is due. */
export type Pace =
  | { readonly kind: 'trickle'; readonly bytes: string; readonly everyMs: number; readonly lastMs: number }
  /** It takes nothing until it was given up. */
  | { readonly kind: 'deaf' }

type RowStart = readonly [number: number | undefined, id: string, bytes: string]

/** A row that is refused before anything of it reaches the origin. */
export function refused(start: RowStart, status: number, ending: 'close' | 'open' = 'close'): WireRow {
  const [number, id, bytes] = start
  return { number, id, bytes, answers: [status], ending, upstream: 'nothing' }
}

/** A row whose body is refused: what is begun upstream is never completed (R71-3). */
export function brokenOff(start: RowStart, status: number): WireRow {
  const [number, id, bytes] = start
  return { number, id, bytes, answers: [status], ending: 'close', upstream: 'unfinished' }
}

/** A row that is served; `more` says where that is special. */
export function served(start: RowStart, wanted: WantedRequest, more: Partial<WireRow> = {}): WireRow {
  const [number, id, bytes] = start
  return { number, id, bytes, answers: [200], ending: 'open', upstream: [wanted], ...more }
}

/** A request of the table's host, with its empty line and `body`. */
export function get(target = '/', lines: readonly string[] = []): string {
  return message(`GET ${target} HTTP/1.1`, [`Host: ${HOST}`, ...lines])
}

/** A POST with these lines and a body. */
export function post(lines: readonly string[], body: string): string {
  return message('POST / HTTP/1.1', [`Host: ${HOST}`, ...lines], body)
}

/** A POST with a body in chunks, as `chunks` says it byte for byte. */
export function chunked(chunks: string, lines: readonly string[] = []): string {
  return post(['Transfer-Encoding: chunked', ...lines], chunks)
}

/** A GET for another value of `Host`. */
export function getOf(host: string, target = '/', lines: readonly string[] = []): string {
  return message(`GET ${target} HTTP/1.1`, [`Host: ${host}`, ...lines])
}

/** A message of these lines, each ended as it must be. */
export function message(line: string, lines: readonly string[], body = ''): string {
  return `${[line, ...lines].join('\r\n')}\r\n\r\n${body}`
}
