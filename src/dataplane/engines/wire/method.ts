// The method of a request, without a string of its own for those that are asked all the time.
import { isExactly, latin1 } from '../../../http/h1-bytes.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'

const USUAL = ['GET', 'POST', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'].map((name) => ({
  name,
  bytes: Buffer.from(name, 'latin1'),
}))
const HEAD = Buffer.from('HEAD', 'latin1')

/** The method as it came. */
export function methodOf({ headStart, methodEnd }: RequestScan, bytes: Buffer): string {
  for (const usual of USUAL) if (isExactly(bytes, headStart, methodEnd, usual.bytes)) return usual.name
  return latin1(bytes, headStart, methodEnd)
}

/** Whether it is HEAD, whose answers have no body. */
export function isHead({ headStart, methodEnd }: RequestScan, bytes: Buffer): boolean {
  return isExactly(bytes, headStart, methodEnd, HEAD)
}
