// The one canonical path (R10-29 to R10-32): matching, access rules, logs and upstream read no other.
import { hexDigit } from './hex-digit.ts'
import { err, ok, type Result } from './result.ts'

export interface PathOptions {
  /** `reject`: a path with `%2F` is refused (R10-32). `keep`, the default: it is data. */
  readonly encodedSlash?: 'keep' | 'reject'
}

const SLASH = 0x2f
const DOT = 0x2e
const PERCENT = 0x25

/**
 * The canonical form of a path without query, each character of it one byte: percent-encoded unreserved characters
 * decoded once, `.` and `..` segments gone, all else byte for byte. The very same string comes back where nothing had
 * to change. The error says, as part of a sentence, why a request with this path is answered 400.
 *
 * Source: RFC 3986, sections 2.3, 5.2.4 and 6.2.2.
 */
export function canonicalPath(path: string, options: PathOptions = {}): Result<string, string> {
  if (path.charCodeAt(0) !== SLASH) return err('does not begin with "/"')
  const fault = faultIn(path, options.encodedSlash === 'reject')
  if (fault) return err(fault)
  const decoded = path.includes('%') ? decodeUnreserved(path) : path
  return hasDotSegment(decoded) ? removeDotSegments(decoded) : ok(decoded)
}

function faultIn(path: string, rejectsEncodedSlash: boolean): string | undefined {
  for (let index = 1; index < path.length; index += 1) {
    const code = path.charCodeAt(index)
    if (code === PERCENT) {
      const fault = faultInEscape(byteAt(path, index + 1), rejectsEncodedSlash)
      if (fault) return fault
      index += 2
    } else {
      const fault = faultInCode(code)
      if (fault) return fault
    }
  }
  return undefined
}

function faultInCode(code: number): string | undefined {
  if (code > 0x20 && code < 0x7f) {
    if (code === 0x5c) return 'holds a backslash'
    return code === 0x23 || code === 0x3f ? 'holds "#" or "?"' : undefined
  }
  return code === 0x20 ? 'holds a space' : 'holds a control character or a byte above 0x7e'
}

function faultInEscape(byte: number, rejectsEncodedSlash: boolean): string | undefined {
  if (byte < 0) return 'has a malformed percent encoding'
  // Whoever decodes it would have a line end or a string's end in the middle of a path.
  if (byte < 0x20 || byte === 0x7f) return 'holds an encoded control character'
  if (byte === 0x5c) return 'holds an encoded backslash'
  return byte === SLASH && rejectsEncodedSlash ? 'holds an encoded slash' : undefined
}

/** The byte that two hexadecimal digits at `index` say; -1 where they are not two. */
function byteAt(path: string, index: number): number {
  const high = hexDigit(path.charCodeAt(index))
  const low = hexDigit(path.charCodeAt(index + 1))
  return high < 0 || low < 0 ? -1 : high * 16 + low
}

function decodeUnreserved(path: string): string {
  return path.replaceAll(/%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, (encoded) =>
    String.fromCharCode(byteAt(encoded, 1)),
  )
}

function hasDotSegment(path: string): boolean {
  for (let slash = 0; slash >= 0; slash = path.indexOf('/.', slash + 1)) {
    const second = path.charCodeAt(slash + 1) === DOT ? path.charCodeAt(slash + 2) : SLASH + 1
    if (isSegmentEnd(second) || (second === DOT && isSegmentEnd(path.charCodeAt(slash + 3)))) return true
  }
  return false
}

function isSegmentEnd(code: number): boolean {
  return code === SLASH || Number.isNaN(code)
}

function removeDotSegments(path: string): Result<string, string> {
  const segments = path.split('/')
  const last = segments.at(-1)
  const kept: string[] = []
  for (const segment of segments) {
    if (segment === '.') continue
    if (segment !== '..') kept.push(segment)
    // The first entry is the empty text before the leading slash.
    else if (kept.length > 1) kept.pop()
    else return err('climbs above "/"')
  }
  const isFolder = last === '.' || last === '..'
  return ok(kept.join('/') + (isFolder ? '/' : ''))
}
