import type { Trailers } from '../../../http/trailers.ts'
import type { Output } from './output.ts'

/** Ends a body in chunks: the last chunk, these trailers, and the empty line. */
export function appendTrailers(fields: Trailers['fields'], output: Output): void {
  output.appendText('0\r\n')
  for (const [name, value] of fields) output.appendText(`${name}: ${value}\r\n`)
  output.appendLineEnd()
}
