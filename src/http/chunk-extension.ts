// The grammar of chunk extensions, byte by byte (RFC 9112, section 7.1.1): `;name`, `;name=token` and `;name="text"`, any
// number of them, up to the end of the line.
import { CR, SEMICOLON, TOKEN_BYTES, VALUE_BYTES } from './h1-bytes.ts'

const EQUALS = 0x3d
const QUOTE = 0x22
const BACKSLASH = 0x5c

/** The part behind a semicolon. */
export const EXTENSION_START = 0
const NAME = 1
const VALUE = 2
const VALUE_REST = 3
const QUOTED = 4
const ESCAPED = 5
const QUOTED_END = 6
/** Behind the CR that ends the line. */
export const EXTENSION_END = 7
/** The byte cannot stand where it stands. */
export const NO_PART = 8

/** The part of an extension that follows `byte` in `part`. */
export function partAfter(part: number, byte: number): number {
  if (part === ESCAPED) return VALUE_BYTES[byte] === 1 ? QUOTED : NO_PART
  if (part === QUOTED) return partInQuotes(byte)
  if (part !== QUOTED_END && TOKEN_BYTES[byte] !== 0) {
    return part === EXTENSION_START || part === NAME ? NAME : VALUE_REST
  }
  if (part === EXTENSION_START) return NO_PART
  if (part === NAME && byte === EQUALS) return VALUE
  if (part === VALUE) return byte === QUOTE ? QUOTED : NO_PART
  if (byte === SEMICOLON) return EXTENSION_START
  return byte === CR ? EXTENSION_END : NO_PART
}

function partInQuotes(byte: number): number {
  if (byte === QUOTE) return QUOTED_END
  if (byte === BACKSLASH) return ESCAPED
  return VALUE_BYTES[byte] === 1 ? QUOTED : NO_PART
}
