// A second parser of response heads, written for the tests only: slow, obvious, on strings.
import type { ResponseScanLimits } from '../../src/http/h1-response-scan.ts'
import type { HeaderList } from '../../src/http/header-list.ts'

export type ReferenceResponse =
  | {
      readonly kind: 'done'
      readonly length: number
      readonly minorVersion: number
      readonly status: number
      readonly reason: string
      readonly fields: HeaderList
    }
  | { readonly kind: 'invalid' }
  | { readonly kind: 'need-more' }

const STATUS_LINE = /^HTTP\/1\.([01]) (\d{3})(?: ([\t\x20-\x7e\x80-\xff]*))?$/
const FIELD = /^([!#$%&'*+\-.^_`|~0-9A-Za-z]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/

/** What `text`, one character a byte, begins with. A line is judged when it has ended. */
export function referenceResponse(text: string, limits: ResponseScanLimits): ReferenceResponse {
  const end = text.indexOf('\r\n\r\n') + 4
  const isWhole = end >= 4
  const lines = (isWhole ? text.slice(0, end - 2) : text).split('\n').slice(0, -1)
  if (lines.some((line) => !line.endsWith('\r'))) return { kind: 'invalid' }
  const [first, ...rest] = lines.map((line) => line.slice(0, -1))
  const status = STATUS_LINE.exec(first ?? '')
  if (first !== undefined && !status) return { kind: 'invalid' }
  const fields = rest.map((line) => FIELD.exec(line))
  if (fields.some((field) => field === null) || fields.length > limits.maxHeaders) return { kind: 'invalid' }
  if ((isWhole ? end : text.length) > limits.maxHeaderBytes) return { kind: 'invalid' }
  if (!isWhole || !status) return { kind: 'need-more' }
  return {
    kind: 'done',
    length: end,
    minorVersion: Number(status[1]),
    status: Number(status[2]),
    reason: status[3] ?? '',
    fields: fields.flatMap((field) => [field?.[1] ?? '', (field?.[2] ?? '').replace(/[\t ]+$/, '')]),
  }
}
