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
const HEX = Buffer.from('0123456789abcdef', 'latin1')
const ID_WORDS = 4

export interface PlainHeadUse {
  readonly hop: HopBytes
  readonly random: Random
  readonly output: Output
}

/** Puts the head of a plain request into the output; `scan` is that of `bytes`. */
export function writePlainHead(scan: RequestScan, bytes: Buffer, { hop, random, output }: PlainHeadUse): void {
  const { fields } = scan
  output.append(bytes, scan.headStart, scan.targetEnd)
  output.appendAll(VERSION)
  for (let run = 0; run < fields.runCount; run += 1) {
    output.append(bytes, fields.runs[run * 2] ?? 0, fields.runs[run * 2 + 1] ?? 0)
  }
  output.appendAll(REQUEST_ID)
  appendId(scan, bytes, random, output)
  output.appendLineEnd()
  output.appendAll(hop.client)
  appendField(FORWARDED_HOST, scan, { bytes, field: fields.hostAt, output })
  output.appendAll(hop.here)
  if (fields.forwardedForCount > 0) appendField(ORIGINAL_FOR, scan, { bytes, field: fields.forwardedForAt, output })
  if (fields.forwardedHostCount > 0) appendField(ORIGINAL_HOST, scan, { bytes, field: fields.forwardedHostAt, output })
  output.appendLineEnd()
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

interface FieldUse {
  readonly bytes: Buffer
  readonly field: number
  readonly output: Output
}

/** `name` with the value of a field that came; nothing where that is empty. */
function appendField(name: Buffer, { fields }: RequestScan, { bytes, field, output }: FieldUse): void {
  const start = fields.valueStart(field)
  const end = fields.valueEnd(field)
  if (start === end) return
  output.appendAll(name)
  output.append(bytes, start, end)
  output.appendLineEnd()
}

function appendId({ fields }: RequestScan, bytes: Buffer, random: Random, output: Output): void {
  if (fields.requestIdCount === 1) {
    const start = fields.valueStart(fields.requestIdAt)
    const end = fields.valueEnd(fields.requestIdAt)
    if (isUsableRequestId(bytes, start, end)) {
      output.append(bytes, start, end)
      return
    }
  }
  appendFreshId(random, output)
}

/** The same digits as `freshRequestId`. */
function appendFreshId(random: Random, output: Output): void {
  for (let word = 0; word < ID_WORDS; word += 1) {
    const value = Math.floor(random() * 2 ** 32) | 0
    for (let shift = 28; shift >= 0; shift -= 4) output.appendByte(HEX[(value >>> shift) & 15] ?? 0)
  }
}
