const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** FNV-1a over the UTF-16 units of `text`, as an unsigned 32-bit number. For buckets and balancing, never an identity. */
export function hash32(text: string): number {
  let hash = OFFSET
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME)
  return hash >>> 0
}
