// The door to node:crypto for hashes.
import { createHash } from 'node:crypto'

/** 32 hex digits: SHA-256 of `text` (as UTF-8), cut to 128 bits. The identity of everything that has one (R00-8). */
export function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}
