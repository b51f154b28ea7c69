// What an HTTP/2 connection is held to whichever side is ours, and no flag changes.

/** Of one stream (R20-101). */
export const STREAM_WINDOW: number = 64 * 1024
/** Of all streams of a connection together (R20-101). */
export const CONNECTION_WINDOW: number = 1024 * 1024
/** How long a socket may outlive its session (R20-107). */
export const SOCKET_LINGER_MS = 5000

const MIB = 1024 * 1024
/** Node keeps the number in 32 bits. */
const MOST_BYTES = 2 ** 31

/**
 * What the library may send as one head, where heads of up to `headBytes` are passed on: fields of ours come on top, and
 * what HPACK may need at most for a field is more than the field. Above it the library ends the whole session.
 */
export function sentHeadBytes(headBytes: number): number {
  return Math.min(2 * headBytes + MIB, MOST_BYTES)
}
