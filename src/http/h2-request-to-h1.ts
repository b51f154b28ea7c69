// The head of an HTTP/2 request as that of an HTTP/1.1 message, so that one parser and one set of rules judge both
// (R22-3 to R22-9). What nghttp2 resets by itself never comes here; what it lets through and the parser of HTTP/1.1
// would not see any more is refused here.
import { isFieldValue, isToken } from '../lib/field-names.ts'
import { parseAuthority } from '../lib/host-name.ts'
import { type HeaderList, trimBlanks } from './header-list.ts'

export interface Http2RequestUse {
  /** Whether the stream ended with its head: there is no body. */
  readonly endsWithHead: boolean
  /** Cookie crumbs counted one by one (R20-99). */
  readonly maxHeaders: number
  /** Decoded, with `FIELD_OVERHEAD` for each field (R20-100). */
  readonly maxHeaderBytes: number
  /** A fresh `Sec-WebSocket-Key`, which HTTP/2 does not have and HTTP/1.1 wants. */
  webSocketKey(): string
}

/** How the body goes on: not at all, with the length that the head says, in chunks, or as the bytes of a tunnel. */
export type Http2Body = 'none' | 'length' | 'chunked' | 'tunnel'

/** Why a head is refused; named as the answer to it. */
export type Http2Refusal = 'malformed' | 'head-too-large' | 'too-many-fields' | 'protocol-not-implemented'

export interface Http2Request {
  readonly isHead: boolean
  /** `undefined`: it is not; only then the rest is to be used. */
  readonly refusal: Http2Refusal | undefined
  /** What came, as the limit counts it. */
  readonly bytes: number
  /** With its empty line, one character a byte. */
  readonly head: string
  readonly body: Http2Body
}

/** What a field costs beside its name and value (RFC 9113, section 6.5.2). */
const FIELD_OVERHEAD = 32
const COLON = 0x3a
const TARGET = /^[\x21-\x7e\x80-\xff]+$/
const DIGITS = /^\d+$/
const SPACE = 0x20

/** The message that `list` is the head of; names come in lower case, values as they were sent. */
export function readHttp2Request(list: HeaderList, use: Http2RequestUse): Http2Request {
  const reader = new Http2RequestReader(use)
  for (let at = 0; at < list.length; at += 2) reader.take(list[at] ?? '', list[at + 1] ?? '')
  return reader.end()
}

/** The lines of a trailer section; those that could not stand on one line are left out. */
export function http1TrailerLines(list: HeaderList): string {
  let lines = ''
  for (let at = 0; at < list.length; at += 2) {
    const name = list[at] ?? ''
    const value = trimmed(list[at + 1] ?? '')
    if (isToken(name) && isFieldValue(value)) lines += `${name}: ${value}\r\n`
  }
  return lines
}

class Http2RequestReader {
  readonly #use: Http2RequestUse
  #method = ''
  #scheme = ''
  #path = ''
  #authority: string | undefined
  #protocol: string | undefined
  #host: string | undefined
  #cookie: string | undefined
  /** Lines before the first crumb of a cookie, and lines behind it: the joined one stands where the first one did. */
  #before = ''
  #lines = ''
  #length: string | undefined
  #announcesTrailers = false
  #hasWebSocketKey = false
  #isMalformed = false
  #count = 0
  #bytes = 0

  constructor(use: Http2RequestUse) {
    this.#use = use
  }

  take(name: string, raw: string): void {
    this.#bytes += name.length + raw.length + FIELD_OVERHEAD
    if (name.charCodeAt(0) === COLON) {
      this.#takePseudo(name, raw)
      return
    }
    this.#count += 1
    const value = trimmed(raw)
    if (!isToken(name) || !isFieldValue(value)) this.#isMalformed = true
    else if (name === 'host') this.#takeHost(value)
    else if (name === 'cookie') this.#takeCrumb(value)
    else if (name === 'content-length') this.#takeLength(value)
    else {
      if (name === 'sec-websocket-key') this.#hasWebSocketKey = true
      else if (name === 'trailer') this.#announcesTrailers = true
      this.#lines += `${name}: ${value}\r\n`
    }
  }

  end(): Http2Request {
    const isHead = this.#method === 'HEAD'
    const refusal = this.#refusal()
    if (refusal) return { isHead, refusal, bytes: this.#bytes, head: '', body: 'none' }
    const isTunnel = this.#protocol !== undefined
    const line = `${isTunnel ? 'GET' : this.#method} ${this.#target()} HTTP/1.1\r\n`
    const body = this.#body()
    const cookie = this.#cookie === undefined ? '' : `cookie: ${this.#cookie}\r\n`
    const host = `host: ${this.#authority ?? this.#host ?? ''}\r\n`
    const extra = isTunnel ? this.#upgradeLines() : this.#framingLine(body)
    const head = `${line}${host}${this.#before}${cookie}${this.#lines}${extra}\r\n`
    return { isHead, refusal, bytes: this.#bytes, head, body }
  }

  // No class of HTTP: four names and no others get past nghttp2, and `:protocol`, which we offer.
  #takePseudo(name: string, value: string): void {
    if (name === ':method') this.#method = value
    else if (name === ':path') this.#path = value
    else if (name === ':scheme') this.#scheme = value
    else if (name === ':authority') this.#authority = value
    else if (name === ':protocol') this.#protocol = value
    else this.#isMalformed = true
  }

  #takeHost(value: string): void {
    if (this.#host !== undefined) this.#isMalformed = true
    this.#host = value
  }

  #takeCrumb(value: string): void {
    if (this.#cookie === undefined) {
      this.#before = this.#lines
      this.#lines = ''
      this.#cookie = value
    } else this.#cookie += `; ${value}`
  }

  #takeLength(value: string): void {
    if (this.#length !== undefined || !DIGITS.test(value)) this.#isMalformed = true
    this.#length = value
  }

  #refusal(): Http2Refusal | undefined {
    if (this.#bytes > this.#use.maxHeaderBytes) return 'head-too-large'
    if (this.#count > this.#use.maxHeaders) return 'too-many-fields'
    if (this.#isMalformed || !isToken(this.#method) || !this.#hasOneHost() || this.#lacksBody) return 'malformed'
    const isConnect = this.#method === 'CONNECT'
    // Only CONNECT is extended by a protocol (RFC 8441, section 4).
    if (!isConnect && this.#protocol !== undefined) return 'malformed'
    if (isConnect && this.#protocol === undefined) return undefined
    if (this.#scheme !== 'http' && this.#scheme !== 'https') return 'malformed'
    if (!TARGET.test(this.#path)) return 'malformed'
    return this.#protocol === undefined || this.#protocol === 'websocket' ? undefined : 'protocol-not-implemented'
  }

  /**
   * Whether a body is announced where there is none: behind a head that ends the stream, which nghttp2 refuses too, and in
   * a tunnel. What stands upstream must be true (R20-42).
   */
  get #lacksBody(): boolean {
    const announcesBody = this.#length !== undefined && Number(this.#length) !== 0
    return announcesBody && (this.#use.endsWithHead || this.#protocol !== undefined)
  }

  /** Whether `:authority` and `Host` name the same (R22-3). */
  #hasOneHost(): boolean {
    const authority = this.#authority
    const host = this.#host
    if (authority === undefined) return true
    if (!isFieldValue(authority)) return false
    return host === undefined || host === authority || sameHost(host, authority)
  }

  // CONNECT names an authority and nothing else; it is answered 405 (R22-8).
  #target(): string {
    return this.#method === 'CONNECT' && this.#protocol === undefined ? (this.#authority ?? '') : this.#path
  }

  #body(): Http2Body {
    if (this.#protocol !== undefined) return 'tunnel'
    if (this.#use.endsWithHead) return 'none'
    // In HTTP/1.1 only chunks carry what follows a body (R22-20).
    return this.#length === undefined || this.#announcesTrailers ? 'chunked' : 'length'
  }

  #framingLine(body: Http2Body): string {
    if (body === 'chunked') return 'transfer-encoding: chunked\r\n'
    return this.#length === undefined ? '' : `content-length: ${this.#length}\r\n`
  }

  #upgradeLines(): string {
    const key = this.#hasWebSocketKey ? '' : `sec-websocket-key: ${this.#use.webSocketKey()}\r\n`
    return `connection: Upgrade\r\nupgrade: websocket\r\n${key}`
  }
}

function sameHost(one: string, other: string): boolean {
  const host = parseAuthority(one)
  return host !== undefined && host === parseAuthority(other) && portOf(one) === portOf(other)
}

function portOf(authority: string): string {
  return /:(\d+)$/.exec(authority)?.[1] ?? ''
}

/** Most values have nothing to trim (R22-4). */
function trimmed(value: string): string {
  const first = value.charCodeAt(0)
  const last = value.charCodeAt(value.length - 1)
  return first > SPACE && last > SPACE ? value : trimBlanks(value)
}
