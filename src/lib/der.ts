// Values in DER, the one binary form of ASN.1 (X.690): what a certificate is written in.

/** One encoded value. */
export type Der = Uint8Array

const [INTEGER, BIT_STRING, OCTET_STRING, OBJECT_ID, UTF8_STRING] = [0x02, 0x03, 0x04, 0x06, 0x0c] as const
const [UTC_TIME, GENERALIZED_TIME, SEQUENCE, SET, BOOLEAN] = [0x17, 0x18, 0x30, 0x31, 0x01] as const
const [CONTEXT, CONSTRUCTED] = [0x80, 0x20] as const

export function sequence(...parts: readonly Der[]): Der {
  return tagged(SEQUENCE, concat(parts))
}

/** A SET of one member: of several, the order would matter. */
export function setOf(part: Der): Der {
  return tagged(SET, part)
}

/** A positive integer by its bytes, the highest first. */
export function integer(bytes: Uint8Array): Der {
  // The highest bit of the first byte is the sign.
  return tagged(INTEGER, (bytes[0] ?? 0) < 0x80 ? bytes : concat([Uint8Array.of(0), bytes]))
}

export function truth(): Der {
  return tagged(BOOLEAN, Uint8Array.of(0xff))
}

/** Bits of which the last `unused` do not count. */
export function bitString(bytes: Uint8Array, unused = 0): Der {
  return tagged(BIT_STRING, concat([Uint8Array.of(unused), bytes]))
}

export function octetString(bytes: Uint8Array): Der {
  return tagged(OCTET_STRING, bytes)
}

export function utf8String(text: string): Der {
  return tagged(UTF8_STRING, asciiBytes(text))
}

/** An object identifier in dots: `2.5.4.3`. */
export function objectId(text: string): Der {
  const [first = 0, second = 0, ...arcs] = text.split('.').map(Number)
  return tagged(OBJECT_ID, Uint8Array.from([first * 40 + second, ...arcs.flatMap(baseOf128)]))
}

/** A moment, in the form that RFC 5280 wants for its year (section 4.1.2.5). */
export function time(ms: number): Der {
  const digits = new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, '')
  return digits < '2050' ? tagged(UTC_TIME, asciiBytes(digits.slice(2))) : tagged(GENERALIZED_TIME, asciiBytes(digits))
}

/** `content` under a number of the context: the values in it, or with `isPlain` the bytes of one. */
export function inContext(number: number, content: Uint8Array, isPlain = false): Der {
  return tagged(CONTEXT + (isPlain ? 0 : CONSTRUCTED) + number, content)
}

export function asciiBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0) & 0x7f)
}

function tagged(tag: number, content: Uint8Array): Der {
  return concat([Uint8Array.from([tag, ...lengthOf(content.length)]), content])
}

function lengthOf(length: number): readonly number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 + bytes.length, ...bytes]
}

function baseOf128(arc: number): readonly number[] {
  const bytes = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) bytes.unshift(0x80 + (rest % 128))
  return bytes
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}
