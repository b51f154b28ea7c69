// The codec of the wire engine as one parser of connections, for comparison.
import { ChunkedBody } from '../../src/http/chunked.ts'
import { requestFraming } from '../../src/http/framing.ts'
import { RequestScan } from '../../src/http/h1-request-scan.ts'
import { DONE, INVALID } from '../../src/http/h1-scan.ts'
import { HeaderIndex } from '../../src/http/header-list.ts'
import { isServed, type ReadConnection, type ReadMessage } from './node-parser.ts'

const MAX = 1024 * 1024
const LIMITS = { maxTargetBytes: MAX, maxHeaderBytes: MAX, maxHeaders: 10_000 }

/** The reason of a reading that ends with a request for another protocol. */
export const UPGRADE = 'upgrade'

/** What the codec makes of these bytes, latin1. */
export interface ReadByCodec extends ReadConnection {
  /** Where each message begins, and at the end where what was refused or is not complete does. */
  readonly starts: readonly number[]
}

/** What the codec makes of these bytes, latin1. */
export function readOurs(text: string): ReadByCodec {
  const bytes = Buffer.from(text, 'latin1')
  const messages: ReadMessage[] = []
  const scan = new RequestScan(LIMITS)
  const starts: number[] = []
  let at = 0
  for (;;) {
    starts.push(at)
    scan.reset()
    const outcome = scan.scan(bytes, at, bytes.length)
    if (outcome === INVALID) return { messages, isRefused: true, reason: scan.fault, starts }
    if (outcome !== DONE) return { messages, isRefused: false, reason: '', starts }
    const { method, target, majorVersion, minorVersion, fields } = scan.rawRequest(bytes)
    const line = { method, target, majorVersion, minorVersion, fields }
    if (!isServed(line)) return { messages, isRefused: true, reason: 'checkRequest', starts }
    const body = readBody(bytes, scan)
    if (typeof body === 'string') return { messages, isRefused: body !== '', reason: body, starts }
    messages.push({ ...line, body: body.data, trailers: body.trailers })
    at = body.end
    const { saysUpgrade, upgradeCount } = scan.notes
    if (saysUpgrade && upgradeCount > 0) return { messages, isRefused: false, reason: UPGRADE, starts: [...starts, at] }
    if (!staysOpen(scan)) return { messages, isRefused: false, reason: 'closed', starts: [...starts, at] }
  }
}

/** Whether another request may follow: read by bytes, as the engine does. */
function staysOpen({ notes, minorVersion }: RequestScan): boolean {
  if (notes.saysClose) return false
  return minorVersion === 1 || notes.saysKeepAlive
}

interface WholeBody {
  readonly data: string
  readonly trailers: readonly string[]
  readonly end: number
}

/** The body behind a head; why it is refused; or '' where it does not end. */
function readBody(bytes: Buffer, scan: RequestScan): WholeBody | string {
  const framing = requestFraming(new HeaderIndex(scan.fields.list(bytes)), scan.minorVersion)
  if (!framing.ok) return framing.error
  const start = scan.headEnd
  switch (framing.value.kind) {
    case 'length': {
      const end = start + framing.value.bytes
      return end > bytes.length ? '' : { data: bytes.toString('latin1', start, end), trailers: [], end }
    }
    case 'chunked':
      return readChunks(bytes, start)
    case 'none':
    case 'until-close':
      return { data: '', trailers: [], end: start }
  }
}

function readChunks(bytes: Buffer, start: number): WholeBody | string {
  const body = new ChunkedBody(LIMITS)
  body.reset(false)
  const end = body.read(bytes, start, bytes.length)
  if (body.fault) return body.fault
  if (!body.isEnded) return ''
  let data = ''
  for (let run = 0; run < body.runCount; run += 1) {
    data += bytes.toString('latin1', body.runs[2 * run], body.runs[2 * run + 1])
  }
  return { data, trailers: body.trailers, end }
}
