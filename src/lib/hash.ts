const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/**
 * FNV-1a over the UTF-16 units of `text`, as an unsigned 32-bit number. `from`: the hash of what stands before it. For
 * buckets and balancing, never an identity.
 */
export function hash32(text: string, from: number = OFFSET): number {
  let hash = from
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME)
  return hash >>> 0
}

/** A hash with every bit depending on every other: FNV-1a leaves texts that differ in their end close together. */
export function mix32(hash: number): number {
  // The finalizer of MurmurHash3.
  let mixed = hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
