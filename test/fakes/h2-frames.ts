// Frames of HTTP/2 as bytes (RFC 9113, section 4), and head blocks that index and compress nothing (RFC 7541).

export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  rstStream: 3,
  settings: 4,
  pushPromise: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const

export const END_STREAM = 0x1
export const ACK = 0x1
export const END_HEADERS = 0x4
export const PREFACE: Buffer = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1')
const HEAD_BYTES = 9
/** Of one frame, where nobody asked for more. */
const MAX_PAYLOAD = 16_384

export interface Frame {
  readonly type: number
  readonly flags: number
  readonly stream: number
  readonly payload: Buffer
}

export function frame(type: number, flags: number, stream: number, payload: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUIntBE(payload.length, 0, 3)
  head.writeUInt8(type, 3)
  head.writeUInt8(flags, 4)
  head.writeUInt32BE(stream, 5)
  return Buffer.concat([head, payload])
}

/** Names and values; one character a byte. */
export type Fields = readonly (readonly [name: string, value: string])[]

/** A head that ends the stream unless told otherwise. */
export function headers(stream: number, fields: Fields, flags: number = END_STREAM): Buffer {
  const bytes = block(fields)
  const parts: Buffer[] = []
  for (let at = 0; at < Math.max(1, bytes.length); at += MAX_PAYLOAD) {
    const ends = at + MAX_PAYLOAD >= bytes.length ? END_HEADERS : 0
    const payload = bytes.subarray(at, at + MAX_PAYLOAD)
    parts.push(frame(at === 0 ? FRAME.headers : FRAME.continuation, (at === 0 ? flags : 0) | ends, stream, payload))
  }
  return Buffer.concat(parts)
}

export function data(stream: number, bytes: Buffer | string, flags = 0): Buffer {
  return frame(FRAME.data, flags, stream, Buffer.from(bytes))
}

export function rstStream(stream: number, code: number): Buffer {
  return frame(FRAME.rstStream, 0, stream, uint32(code))
}

export function settings(entries: readonly (readonly [id: number, value: number])[] = [], flags = 0): Buffer {
  const payload = Buffer.concat(entries.map(([id, value]) => Buffer.concat([uint32(id).subarray(2), uint32(value)])))
  return frame(FRAME.settings, flags, 0, payload)
}

export function windowUpdate(stream: number, increment: number): Buffer {
  return frame(FRAME.windowUpdate, 0, stream, uint32(increment))
}

export function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

/** Every field as a literal that is not indexed. */
export function block(fields: Fields): Buffer {
  const parts = fields.flatMap(([name, value]) => [Buffer.of(0), text(name), text(value)])
  return Buffer.concat(parts)
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1')
  return Buffer.concat([integer(bytes.length), bytes])
}

const PREFIX = 127

function integer(value: number): Buffer {
  if (value < PREFIX) return Buffer.of(value)
  const bytes = [PREFIX]
  let rest = value - PREFIX
  for (; rest >= 128; rest >>= 7) bytes.push((rest & 127) | 128)
  return Buffer.from([...bytes, rest])
}

/** The frames at the beginning of `bytes` that are whole, and what is left behind them. */
export function readFrames(bytes: Buffer): { readonly frames: readonly Frame[]; readonly rest: Buffer } {
  const frames: Frame[] = []
  let at = 0
  while (at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUIntBE(at, 3)
    if (end > bytes.length) break
    frames.push({
      type: bytes.readUInt8(at + 3),
      flags: bytes.readUInt8(at + 4),
      stream: bytes.readUInt32BE(at + 5) & 0x7fffffff,
      payload: bytes.subarray(at + HEAD_BYTES, end),
    })
    at = end
  }
  return { frames, rest: bytes.subarray(at) }
}

const STATUS_BY_INDEX: ReadonlyMap<number, number> = new Map([
  [8, 200],
  [9, 204],
  [10, 206],
  [11, 304],
  [12, 400],
  [13, 404],
  [14, 500],
])

/** The status that the first head block of a connection begins with. */
export function statusOf(head: Buffer): number | undefined {
  let at = 0
  // A change of the table's size may stand before it.
  while (((head[at] ?? 0) & 0xe0) === 0x20) at += 1
  const first = head[at] ?? 0
  if ((first & 0x80) !== 0) return STATUS_BY_INDEX.get(first & 0x7f)
  const length = (head[at + 1] ?? 0) & 0x7f
  const value = head.subarray(at + 2, at + 2 + length)
  return Number(((head[at + 1] ?? 0) & 0x80) === 0 ? value.toString('latin1') : digitsOf(value))
}

/** Three digits that Huffman's code of RFC 7541, appendix B, made shorter. */
function digitsOf(bytes: Buffer): string {
  let bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  let digits = ''
  while (digits.length < 3) {
    const isShort = bits.startsWith('000')
    digits += isShort ? Number.parseInt(bits.slice(0, 5), 2) : Number.parseInt(bits.slice(0, 6), 2) - 22
    bits = bits.slice(isShort ? 5 : 6)
  }
  return digits
}
