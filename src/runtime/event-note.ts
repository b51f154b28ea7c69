/** What the API takes of a note. */
const NOTE_BYTES = 1024
const ELLIPSIS = '…'

/** `note` in at most 1,024 bytes of UTF-8, the ellipsis that then ends it included (R30-25). */
export function cutNote(note: string): string {
  if (Buffer.byteLength(note) <= NOTE_BYTES) return note
  const bytes = Buffer.from(note)
  let end = NOTE_BYTES - Buffer.byteLength(ELLIPSIS)
  // No character is cut in two: the bytes that continue one are 10xxxxxx.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return bytes.toString('utf8', 0, end) + ELLIPSIS
}
