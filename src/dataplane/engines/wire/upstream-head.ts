// The head of a request as the endpoint receives it: copied in runs where it is an ordinary one, written anew from
// strings where it is not. Both give the bytes of `upstreamRequestHead`.
import { isUsableRequestId } from '../../../http/h1-plain.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import type { HeaderList } from '../../../http/header-list.ts'
import { isFieldValue, isToken } from '../../../lib/field-names.ts'
import type { Random } from '../../../lib/random.ts'
import type { HopBytes } from './hop-bytes.ts'
import type { Output } from './output.ts'

const VERSION = Buffer.from(' HTTP/1.1\r\n', 'latin1')
const REQUEST_ID = Buffer.from('X-Request-Id: ', 'latin1')
const FORWARDED_HOST = Buffer.from('X-Forwarded-Host: ', 'latin1')
const ORIGINAL_FOR = Buffer.from('X-Original-Forwarded-For: ', 'latin1')
const ORIGINAL_HOST = Buffer.from('X-Original-Forwarded-Host: ', 'latin1')
const ID_WORDS = 4
/** So many numbers have 32 bits. */
const WORDS = 2 ** 32

/** Writes heads of plain requests: one for all connections. */
export class PlainHeadWriter {
  readonly #output: Output
  readonly #random: Random
  /** 32 random bits that were drawn last. */
  #word = 0

  constructor(output: Output, random: Random) {
    this.#output = output
    this.#random = random
  }

  /** A random point in [0, 1), another one for each head. */
  get point(): number {
    return (this.#word >>> 0) / WORDS
  }

  /** Puts the head into the output; `scan` is that of `bytes`. */
  write(scan: RequestScan, bytes: Buffer, hop: HopBytes): void {
    const output = this.#output
    const { fields, notes } = scan
    const lineEnd = scan.targetEnd + VERSION.length
    // Line and first run are one piece most of the time: HTTP/1.1, and its first field is kept.
    const isOnePiece = scan.minorVersion === 1 && fields.runCount > 0 && fields.runs[0] === lineEnd
    output.append(bytes, scan.headStart, isOnePiece ? (fields.runs[1] ?? 0) : scan.targetEnd)
    if (!isOnePiece) output.appendAll(VERSION)
    for (let run = isOnePiece ? 1 : 0; run < fields.runCount; run += 1) {
      output.append(bytes, fields.runs[run * 2] ?? 0, fields.runs[run * 2 + 1] ?? 0)
    }
    output.appendAll(REQUEST_ID)
    this.#appendId(scan, bytes)
    output.appendLineEnd()
    output.appendAll(hop.client)
    this.#appendField(FORWARDED_HOST, scan, bytes, notes.hostAt)
    output.appendAll(hop.here)
    if (notes.forwardedForCount > 0) this.#appendField(ORIGINAL_FOR, scan, bytes, notes.forwardedForAt)
    if (notes.forwardedHostCount > 0) this.#appendField(ORIGINAL_HOST, scan, bytes, notes.forwardedHostAt)
    output.appendLineEnd()
  }

  /** `name` with the value of a field that came; nothing where that is empty. */
  #appendField(name: Buffer, { fields }: RequestScan, bytes: Buffer, field: number): void {
    const start = fields.valueStart(field)
    const end = fields.valueEnd(field)
    if (start === end) return
    this.#output.appendAll(name)
    this.#output.append(bytes, start, end)
    this.#output.appendLineEnd()
  }

  #appendId({ fields, notes }: RequestScan, bytes: Buffer): void {
    if (notes.requestIdCount === 1) {
      const start = fields.valueStart(notes.requestIdAt)
      const end = fields.valueEnd(notes.requestIdAt)
      if (isUsableRequestId(bytes, start, end)) {
        this.#output.append(bytes, start, end)
        this.#draw()
        return
      }
    }
    this.#appendFreshId()
  }

  /** The same digits as `freshRequestId`. */
  #appendFreshId(): void {
    for (let word = 0; word < ID_WORDS; word += 1) this.#output.appendHex(this.#draw())
  }

  #draw(): number {
    this.#word = Math.floor(this.#random() * WORDS) | 0
    return this.#word
  }
}

/** Puts a head of these fields into `output`; false, and nothing put, where one could split a message (R20-47). */
export function writeListedHead(line: string, fields: HeaderList, output: Output): boolean {
  let head = `${line}\r\n`
  for (let at = 0; at < fields.length; at += 2) {
    const name = fields[at] ?? ''
    const value = fields[at + 1] ?? ''
    if (!isToken(name) || !isFieldValue(value)) return false
    head += `${name}: ${value}\r\n`
  }
  output.appendText(`${head}\r\n`)
  return true
}
