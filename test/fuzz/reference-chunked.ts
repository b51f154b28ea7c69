// A second reader of chunked bodies, written for the tests only: slow, obvious, on strings.
import type { ChunkedFault, ChunkedLimits } from '../../src/http/chunked.ts'
import type { HeaderList } from '../../src/http/header-list.ts'

export type ReferenceBody =
  | {
      readonly kind: 'done'
      readonly length: number
      readonly data: string
      /** The body as it is relayed: without extensions, and without its end where there are trailers. */
      readonly relayed: string
      readonly trailers: HeaderList
    }
  | { readonly kind: 'invalid'; readonly fault: ChunkedFault }
  | { readonly kind: 'need-more' }

const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+"
const QUOTED = String.raw`"(?:[\t \x21\x23-\x5b\x5d-\x7e\x80-\xff]|\\[\t\x20-\x7e\x80-\xff])*"`
const SIZE_LINE = new RegExp(`^([\\da-fA-F]{1,16})((?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*)$`)
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/
const MALFORMED: ReferenceBody = { kind: 'invalid', fault: 'malformed' }
const NEED_MORE: ReferenceBody = { kind: 'need-more' }

/** The body that `text`, one character a byte, begins with; a line is judged when it has ended. */
export function referenceChunked(text: string, limits: ChunkedLimits): ReferenceBody {
  let at = 0
  let data = ''
  let relayed = ''
  let extensions = 0
  for (;;) {
    const end = text.indexOf('\n', at)
    if (end < 0) return NEED_MORE
    const match = text[end - 1] === '\r' && end > at ? SIZE_LINE.exec(text.slice(at, end - 1)) : null
    const size = Number.parseInt(match?.[1] ?? '', 16)
    extensions += match?.[2]?.length ?? 0
    if (!match || !Number.isSafeInteger(size) || extensions > 16_384) return MALFORMED
    relayed += `${match[1]}\r\n`
    at = end + 1
    if (size === 0) return readTrailers({ text, at, data, relayed }, limits)
    const chunk = text.slice(at, at + size)
    data += chunk
    relayed += `${chunk}\r\n`
    at += size
    const ending = text.slice(at, at + 2)
    if (ending !== '\r\n') return '\r\n'.startsWith(ending) ? NEED_MORE : MALFORMED
    at += 2
  }
}

interface SoFar {
  readonly text: string
  readonly at: number
  readonly data: string
  readonly relayed: string
}

function readTrailers({ text, at, data, relayed }: SoFar, limits: ChunkedLimits): ReferenceBody {
  const trailers: string[] = []
  let start = at
  for (;;) {
    if (text.startsWith('\r\n', start)) {
      const length = start + 2
      return { kind: 'done', length, data, relayed: trailers.length > 0 ? relayed : `${relayed}\r\n`, trailers }
    }
    if (start === text.length || text.slice(start) === '\r') return NEED_MORE
    if (text[start] === '\r') return MALFORMED
    if (start - at === limits.maxHeaderBytes) return { kind: 'invalid', fault: 'head-too-large' }
    if (trailers.length / 2 === limits.maxHeaders) return { kind: 'invalid', fault: 'too-many-fields' }
    const end = text.indexOf('\n', start)
    if ((end < 0 ? text.length : end + 1) - at > limits.maxHeaderBytes)
      return { kind: 'invalid', fault: 'head-too-large' }
    if (end < 0) return NEED_MORE
    const [, name, value] = (text[end - 1] === '\r' && FIELD.exec(text.slice(start, end - 1))) || []
    if (name === undefined || value === undefined) return MALFORMED
    trailers.push(name, value.replace(/[\t ]+$/, ''))
    start = end + 1
  }
}
