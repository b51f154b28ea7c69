// What the first message of a TLS client says before anything is decided: the name it wants and the protocols it offers
// (RFC 8446, sections 4.1.2 and 5.1; RFC 6066, section 3; RFC 7301, section 3.1).
import { latin1 } from './h1-bytes.ts'
import { wordAt } from './word-at.ts'

export interface ClientHello {
  /** As sent, one character a byte; `undefined` where the extension is absent. Whether it is a host is not judged. */
  readonly serverName: string | undefined
  /** ALPN, in the client's order; empty where the extension is absent. */
  readonly protocols: readonly string[]
}

export type ClientHelloParse =
  | { readonly kind: 'need-more' }
  | { readonly kind: 'done'; readonly hello: ClientHello }
  /** The bytes are no TLS at all: plaintext on this port. */
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'invalid'; readonly fault: 'TooLong' | 'Malformed' }

/** Of the message and of the records that it comes in (R20-76). */
export const MAX_CLIENT_HELLO: number = 16 * 1024

const HANDSHAKE_RECORD = 22
const RECORD_HEADER = 5
const MAX_RECORD = 16 * 1024
const CLIENT_HELLO = 1
const MESSAGE_HEADER = 4
const VERSION_AND_RANDOM = 2 + 32
const SERVER_NAME = 0
const ALPN = 16
const HOST_NAME = 0

const NEED_MORE: ClientHelloParse = { kind: 'need-more' }
const NOT_TLS: ClientHelloParse = { kind: 'not-tls' }
const MALFORMED: ClientHelloParse = { kind: 'invalid', fault: 'Malformed' }
const TOO_LONG: ClientHelloParse = { kind: 'invalid', fault: 'TooLong' }

/**
 * Reads the ClientHello that `bytes[from, end)` begin with, spread over records as the client likes. To be called again
 * with more bytes after `need-more`. Nothing is consumed: a TLS server reads it all again.
 */
export function parseClientHello(bytes: Uint8Array, from: number, end: number): ClientHelloParse {
  // What is read at once is held to the same as what comes in pieces.
  const to = Math.min(end, from + MAX_CLIENT_HELLO)
  let length = 0
  let wanted = Number.POSITIVE_INFINITY
  let head = 0
  for (let at = from; at < to && length < wanted; ) {
    if (bytes[at] !== HANDSHAKE_RECORD || (at + 1 < to && bytes[at + 1] !== 3)) return at === from ? NOT_TLS : MALFORMED
    if (at + RECORD_HEADER > to) break
    const size = wordAt(bytes, at + 3)
    if (size === 0 || size > MAX_RECORD) return MALFORMED
    const start = at + RECORD_HEADER
    const partEnd = Math.min(start + size, to)
    for (let index = start; index < partEnd && length + index - start < MESSAGE_HEADER; index += 1) {
      head = head * 256 + (bytes[index] ?? 0)
    }
    const isFirst = length === 0 && partEnd > start
    length += partEnd - start
    if (isFirst && bytes[start] !== CLIENT_HELLO) return MALFORMED
    if (length >= MESSAGE_HEADER) wanted = MESSAGE_HEADER + (head & 0xffffff)
    if (wanted > MAX_CLIENT_HELLO && wanted < Number.POSITIVE_INFINITY) return TOO_LONG
    at = start + size
  }
  if (length >= wanted) return parseMessage(gather(bytes, from, wanted))
  return to - from >= MAX_CLIENT_HELLO ? TOO_LONG : NEED_MORE
}

/** The first `length` bytes of what the records hold, which are known to be there. */
function gather(bytes: Uint8Array, from: number, length: number): Uint8Array {
  const message = new Uint8Array(length)
  let filled = 0
  for (let at = from; filled < length; ) {
    const start = at + RECORD_HEADER
    const end = start + wordAt(bytes, at + 3)
    message.set(bytes.subarray(start, Math.min(end, start + length - filled)), filled)
    filled += end - start
    at = end
  }
  return message
}

function parseMessage(message: Uint8Array): ClientHelloParse {
  const reader = new Reader(message, MESSAGE_HEADER, message.length)
  reader.skip(VERSION_AND_RANDOM)
  reader.vector(1)
  reader.vector(2)
  reader.vector(1)
  let serverName: string | undefined
  let protocols: readonly string[] = []
  // A ClientHello of TLS 1.2 may end here.
  const extensions = reader.isAtEnd ? reader : reader.vector(2)
  while (!extensions.isAtEnd && !extensions.isBroken) {
    const type = extensions.number(2)
    const body = extensions.vector(2)
    if (type === SERVER_NAME) serverName = readServerName(body)
    if (type === ALPN) protocols = readProtocols(body)
    if (body.isBroken) return MALFORMED
  }
  if (reader.isBroken || extensions.isBroken || !reader.isAtEnd) return MALFORMED
  return { kind: 'done', hello: { serverName, protocols } }
}

function readServerName(body: Reader): string | undefined {
  const names = body.vector(2)
  let found: string | undefined
  while (!names.isAtEnd && !names.isBroken) {
    const type = names.number(1)
    const name = names.vector(2)
    if (type === HOST_NAME) found ??= name.text()
  }
  if (names.isBroken) body.breakOff()
  return found
}

function readProtocols(body: Reader): readonly string[] {
  const list = body.vector(2)
  const protocols: string[] = []
  while (!list.isAtEnd && !list.isBroken) protocols.push(list.vector(1).text())
  if (list.isBroken) body.breakOff()
  return protocols
}

/** Reads what TLS writes: numbers and vectors with their length before them. What does not fit breaks it for good. */
class Reader {
  readonly #bytes: Uint8Array
  readonly #end: number
  #at: number
  #isBroken = false

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  get isAtEnd(): boolean {
    return this.#at === this.#end
  }

  get isBroken(): boolean {
    return this.#isBroken
  }

  breakOff(): void {
    this.#isBroken = true
    this.#at = this.#end
  }

  /** The place before `length` bytes that are then behind it. */
  skip(length: number): number {
    const start = this.#at
    if (start + length > this.#end) {
      this.breakOff()
      return this.#end
    }
    this.#at = start + length
    return start
  }

  number(length: 1 | 2): number {
    const at = this.skip(length)
    if (this.#isBroken) return 0
    return length === 1 ? (this.#bytes[at] ?? 0) : wordAt(this.#bytes, at)
  }

  vector(lengthBytes: 1 | 2): Reader {
    const length = this.number(lengthBytes)
    const start = this.skip(length)
    return new Reader(this.#bytes, start, this.#isBroken ? start : start + length)
  }

  text(): string {
    return latin1(this.#bytes, this.#at, this.#end)
  }
}
