// The head of a response as the client receives it: copied in runs where it is an ordinary one, written anew from
// strings where it is not. Both give the bytes of `downstreamResponseHead`.
import { BODY_UNTIL_CLOSE, type ResponseScan } from '../../../http/h1-response-scan.ts'
import type { DateLine } from './date-line.ts'
import type { Output } from './output.ts'

const VERSION = Buffer.from('HTTP/1.1 ', 'latin1')
const SERVER = Buffer.from('Server: ramjet\r\n', 'latin1')
const CHUNKED = Buffer.from('Transfer-Encoding: chunked\r\n', 'latin1')
const CLOSE = Buffer.from('Connection: close\r\n', 'latin1')
const STATUS_DIGITS = 3
const SPACE = 0x20
const LINE_END = '\r\n'.length

/** Writes heads of plain responses to HTTP/1.1 clients: one for all connections. */
export class PlainResponseWriter {
  readonly #output: Output
  readonly #dateLine: DateLine

  constructor(output: Output, dateLine: DateLine) {
    this.#output = output
    this.#dateLine = dateLine
  }

  /** Puts the head into the output; `scan` is that of `bytes`, and `length` what `ResponseScan.bodyLength` says. */
  write(scan: ResponseScan, bytes: Buffer, length: number, closes: boolean): void {
    const output = this.#output
    const { fields, notes } = scan
    // Line and first run are one piece most of the time.
    const isOnePiece = hasOwnLine(scan) && fields.runCount > 0 && fields.runs[0] === scan.reasonEnd + LINE_END
    if (isOnePiece) output.append(bytes, scan.headStart, fields.runs[1] ?? 0)
    else this.#writeLine(scan, bytes)
    for (let run = isOnePiece ? 1 : 0; run < fields.runCount; run += 1) {
      output.append(bytes, fields.runs[run * 2] ?? 0, fields.runs[run * 2 + 1] ?? 0)
    }
    if (!notes.hasServer) output.appendAll(SERVER)
    if (length === BODY_UNTIL_CLOSE && notes.codingCount === 0) output.appendAll(CHUNKED)
    if (closes) output.appendAll(CLOSE)
    if (!notes.hasDate) output.appendAll(this.#dateLine.bytes())
    output.appendLineEnd()
  }

  #writeLine(scan: ResponseScan, bytes: Buffer): void {
    const output = this.#output
    const statusAt = scan.headStart + VERSION.length
    output.appendAll(VERSION)
    output.append(bytes, statusAt, statusAt + STATUS_DIGITS)
    output.appendByte(SPACE)
    output.append(bytes, scan.reasonStart, scan.reasonEnd)
    output.appendLineEnd()
  }
}

/** Whether the status line is the one that we would write: HTTP/1.1, and the space before the reason is there. */
function hasOwnLine({ minorVersion, headStart, reasonStart }: ResponseScan): boolean {
  return minorVersion === 1 && reasonStart === headStart + VERSION.length + STATUS_DIGITS + 1
}
