// What the scans of heads have in common: what they say, and where a line may end.
import { CR, SPACE, TAB } from './h1-bytes.ts'

/** What a scan says: `DONE` with a whole head, `INVALID` with a fault. Numbers, because they are asked for per read. */
export type ScanOutcome = typeof NEED_MORE | typeof DONE | typeof INVALID
export const NEED_MORE = 0
export const DONE = 1
export const INVALID = 2

/** Whether one of these bytes ends a line, or can stand in none. */
export function holdsLineEnd(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at += 1) if (endsLine(bytes, at, to)) return true
  return false
}

/** Whether this byte does; a CR that is the last byte may yet be followed by LF. */
export function endsLine(bytes: Uint8Array, at: number, to: number): boolean {
  const byte = bytes[at] ?? 0
  return byte < SPACE && byte !== TAB && (byte !== CR || at + 1 < to)
}
