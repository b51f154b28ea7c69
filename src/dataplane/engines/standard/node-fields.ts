// A trap of node:http: once it knows a Content-Length it reads the value of Content-Disposition as UTF-8, and the bytes
// on the wire are other than those that came. Behind the disposition the length does no harm.
import type { HeaderList } from '../../../http/header-list.ts'

// biome-ignore lint/suspicious/noControlCharactersInRegex: the bytes that latin1 and UTF-8 agree on.
const ASCII = /^[\x00-\x7f]*$/

/** `fields`, with `Content-Length` at the end where a `Content-Disposition` holds a byte above 0x7f. */
export function nodeFields(fields: HeaderList): string[] {
  let at = -1
  let hasTrap = false
  for (let index = 0; index < fields.length; index += 2) {
    const name = fields[index] ?? ''
    if (name.length === 14 && name.toLowerCase() === 'content-length') at = index
    if (name.length === 19 && name.toLowerCase() === 'content-disposition')
      hasTrap ||= !ASCII.test(fields[index + 1] ?? '')
  }
  if (!hasTrap || at < 0) return fields as string[]
  return [...fields.slice(0, at), ...fields.slice(at + 2), ...fields.slice(at, at + 2)]
}
