// The head of an HTTP/1.1 response as the fields of an HTTP/2 one: its status, and its fields but for those of the
// connection (RFC 9113, section 8.2.2; R20-53).
import { KNOWN, KNOWN_COUNT } from './h1-names.ts'
import type { ResponseScan } from './h1-response-scan.ts'
import type { HeaderList } from './header-list.ts'

/** By number of a name: 1 where the field belongs to the connection. */
const OF_CONNECTION: Uint8Array = connectionRules()

function connectionRules(): Uint8Array {
  const rules = new Uint8Array(KNOWN_COUNT)
  const { connection, keepAlive, proxyHop, te, transferEncoding, upgrade } = KNOWN
  for (const id of [connection, keepAlive, proxyHop, te, transferEncoding, upgrade]) rules[id] = 1
  return rules
}

/** Has no body, and Node sends none, whatever its length says (RFC 9110, section 15.3.6). */
const RESET_CONTENT = 205
/** A field of the connection as well, by which HTTP/1.1 once became HTTP/2. */
const SETTINGS = 'http2-settings'
/** The result of a handshake that HTTP/2 does not have (RFC 8441, section 5). */
const HANDSHAKE = 'sec-websocket-accept'

/**
 * Name, value, name, value, with `:status` first. `scan` has found the head; `text` is the same bytes from `headStart`
 * on, one character each. `status`: what the client is told, most often the scanned one.
 */
export function http2ResponseFields(scan: ResponseScan, text: string, status: number): string[] {
  const { fields, headStart } = scan
  const list = [':status', String(status)]
  for (let index = 0; index < fields.count; index += 1) {
    const id = fields.nameId(index)
    if (OF_CONNECTION[id] === 1 || (status === RESET_CONTENT && id === KNOWN.contentLength)) continue
    const name = text.slice(fields.nameStart(index) - headStart, fields.nameEnd(index) - headStart).toLowerCase()
    if (name === SETTINGS || (name === HANDSHAKE && status !== scan.status)) continue
    list.push(name, text.slice(fields.valueStart(index) - headStart, fields.valueEnd(index) - headStart))
  }
  return list
}

/**
 * Fields as the record that `node:http2` wants where it takes no list: values by name in lower case, several in an
 * array. It has no prototype, so that no name of a field means anything else.
 */
export function http2FieldRecord(list: HeaderList): Record<string, string | string[]> {
  const values = new Map<string, string[]>()
  for (let at = 0; at < list.length; at += 2) {
    const name = (list[at] ?? '').toLowerCase()
    const known = values.get(name)
    if (known) known.push(list[at + 1] ?? '')
    else values.set(name, [list[at + 1] ?? ''])
  }
  const record: Record<string, string | string[]> = Object.create(null)
  for (const [name, all] of values) record[name] = all.length === 1 ? (all[0] ?? '') : all
  return record
}
