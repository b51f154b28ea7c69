import type { Trailers } from '../../../http/trailers.ts'
import type { Output } from './output.ts'

/** Ends a body in chunks: the line of the last chunk, unless that is out, these trailers, and the empty line. */
export function appendTrailers(fields: Trailers['fields'], output: Output, isLineOut = false): void {
  if (!isLineOut) output.appendText('0\r\n')
  for (const [name, value] of fields) output.appendText(`${name}: ${value}\r\n`)
  output.appendLineEnd()
}
