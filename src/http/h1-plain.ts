// What stands in a head as everybody would write it, judged on its bytes. What is not plain is not wrong: it is for the
// functions that take strings (lib/host-name.ts, lib/request-path.ts), and what they say is never said twice.

const MAX_HOST = 253
const MAX_LABEL = 63
const MAX_PORT_DIGITS = 5
const MAX_PORT = 65_535

const DASH = 0x2d
const DOT = 0x2e
const SLASH = 0x2f
const COLON = 0x3a
const BACKSLASH = 0x5c
const PERCENT = 0x25

/** In `PATH_BYTES`: what may stand anywhere. */
const ANYWHERE = 1
/** In `PATH_BYTES`: `.` and `%`, which must be looked at. */
const LOOK = 2

/** By byte: whether it may stand in a canonical path. */
const PATH_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_none, byte) => {
  if (byte === DOT || byte === PERCENT) return LOOK
  const isRefused = byte <= 0x20 || byte >= 0x7f || byte === BACKSLASH || byte === 0x23 || byte === 0x3f
  return isRefused ? 0 : ANYWHERE
})

/** By byte: 1 for digits, small letters, `-` and `_`. */
const LABEL_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_none, byte) =>
  isDigit(byte) || (byte >= 0x61 && byte <= 0x7a) || byte === DASH || byte === 0x5f ? 1 : 0,
)

/**
 * Reports whether `bytes[start, end)` is a path that `canonicalPath` would give back as it is, whatever its options.
 * False says nothing.
 */
export function isPlainPath(bytes: Uint8Array, start: number, end: number): boolean {
  if (start === end || bytes[start] !== SLASH) return false
  for (let at = start + 1; at < end; at += 1) {
    const kind = PATH_BYTES[bytes[at] ?? 0] ?? 0
    if (kind === ANYWHERE) continue
    if (kind === 0 || !isPlainAt(bytes, at, end)) return false
  }
  return true
}

function isPlainAt(bytes: Uint8Array, at: number, end: number): boolean {
  // A segment that begins with a dot may be one that goes.
  if (bytes[at] === DOT) return bytes[at - 1] !== SLASH || !isDotSegment(bytes, at, end)
  return at + 2 < end && isPlainEscape(hexDigit(bytes[at + 1] ?? 0) * 16 + hexDigit(bytes[at + 2] ?? 0))
}

function isDotSegment(bytes: Uint8Array, at: number, end: number): boolean {
  const second = bytes[at + 1] === DOT && at + 1 < end ? at + 2 : at + 1
  return second >= end || bytes[second] === SLASH
}

/** Whether an escape of this byte stays as it is; no byte at all where a digit was none. */
function isPlainEscape(byte: number): boolean {
  if (byte < 0x20 || byte === 0x7f || byte === BACKSLASH || byte === SLASH) return false
  const letter = byte | 0x20
  const isUnreserved =
    (letter >= 0x61 && letter <= 0x7a && byte < 0x80) ||
    isDigit(byte) ||
    byte === DASH ||
    byte === DOT ||
    byte === 0x5f ||
    byte === 0x7e
  return !isUnreserved
}

/** Far below zero for what is no digit. */
function hexDigit(code: number): number {
  if (isDigit(code)) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1000
}

/**
 * The end of the host in an authority (`host` or `host:port`) whose host is in its one form already: the string form of
 * `bytes[start, result)` is what `parseAuthority` gives. -1 for any other authority, which may be a good one.
 */
export function plainHostEnd(bytes: Uint8Array, start: number, end: number): number {
  let labelStart = start
  let at = start
  for (; at < end && bytes[at] !== COLON; at += 1) {
    if (LABEL_BYTES[bytes[at] ?? 0] === 1) continue
    if (bytes[at] !== DOT || at === labelStart || at - labelStart > MAX_LABEL) return -1
    labelStart = at + 1
  }
  if (at === labelStart || at - labelStart > MAX_LABEL || at - start > MAX_HOST) return -1
  return at === end || isPort(bytes, at + 1, end) ? at : -1
}

function isPort(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start > MAX_PORT_DIGITS) return false
  let port = 0
  for (let at = start; at < end; at += 1) {
    const code = bytes[at] ?? 0
    if (!isDigit(code)) return false
    port = port * 10 + code - 0x30
  }
  return port <= MAX_PORT
}

/**
 * Reports whether `bytes[start, end)` is a method that goes on as it came: capitals alone, and none of the two that are
 * refused.
 */
export function isPlainMethod(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const code = bytes[at] ?? 0
    if (code < 0x41 || code > 0x5a) return false
  }
  const first = bytes[start]
  return !(first === 0x43 && end - start === 7) && !(first === 0x54 && end - start === 5)
}

/** By byte: 1 where it may stand in a request id that goes on (`requestId`). */
const ID_BYTES: Uint8Array = Uint8Array.from({ length: 256 }, (_none, byte) =>
  /[A-Za-z0-9._~+/=-]/.test(String.fromCharCode(byte)) ? 1 : 0,
)
const MAX_ID = 128

/** Reports whether `bytes[start, end)` is a request id that goes on as the client's own (R20-30). */
export function isUsableRequestId(bytes: Uint8Array, start: number, end: number): boolean {
  if (end === start || end - start > MAX_ID) return false
  for (let at = start; at < end; at += 1) if (ID_BYTES[bytes[at] ?? 0] === 0) return false
  return true
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}
