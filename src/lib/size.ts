import { err, ok, type Result } from './result.ts'

const UNIT_BYTES: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['k', 1024],
  ['m', 1024 ** 2],
  ['g', 1024 ** 3],
])
const SIZE = /^(\d{1,16})([kmg]?)$/i

/** Bytes of a size such as `512`, `64k`, `10m` or `1g`, in powers of 1024 (R33-6). The error says what is allowed. */
export function parseSize(text: string): Result<number, string> {
  const parts = SIZE.exec(text)
  const unit = UNIT_BYTES.get(parts?.[2]?.toLowerCase() ?? '')
  if (!parts || unit === undefined) return err('digits with k, m or g (powers of 1024), or bytes without one')
  const bytes = Number(parts[1]) * unit
  return Number.isSafeInteger(bytes) ? ok(bytes) : err('less than 8388608g')
}
