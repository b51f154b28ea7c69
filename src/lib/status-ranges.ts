import { err, ok, type Result } from './result.ts'

/** Ranges of statuses, both ends included. */
export type StatusRanges = readonly (readonly [from: number, to: number])[]

const RANGE = /^([1-5]\d\d)(?:-([1-5]\d\d))?$/
const MAX_TEXT = 128

/** The ranges of text such as `200-399` or `200,204,300-399`; the error says what is allowed. */
export function parseStatusRanges(text: string): Result<StatusRanges, string> {
  const ranges = text.length > MAX_TEXT ? [undefined] : text.split(',').map(parseRange)
  return ranges.every((range) => range !== undefined)
    ? ok(ranges)
    : err('statuses from 100 to 599 and ranges of them, such as 200,300-399')
}

function parseRange(text: string): readonly [number, number] | undefined {
  const [, from, to = from] = RANGE.exec(text) ?? []
  return from !== undefined && to !== undefined && from <= to ? [Number(from), Number(to)] : undefined
}
