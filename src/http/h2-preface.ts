// What a client opens with that knows we speak HTTP/2 (RFC 9113, section 3.4).
import { bytesOf } from '../lib/bytes-of.ts'

const PREFACE = bytesOf('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n')

/** How `bytes[from, to)` begin: with all of the preface, with as much of it as they can, or with something else. */
export function prefaceIn(bytes: Uint8Array, from: number, to: number): 'whole' | 'part' | 'none' {
  const length = Math.min(to - from, PREFACE.length)
  for (let index = 0; index < length; index += 1) if (bytes[from + index] !== PREFACE[index]) return 'none'
  return length === PREFACE.length ? 'whole' : 'part'
}
