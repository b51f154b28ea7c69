// What the client is told on one exchange: interim heads, one final head, and whether its connection goes on.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { HeaderIndex, type HeaderList, listTokens } from '../../../http/header-list.ts'
import type { CheckedResponse } from '../../../http/response-check.ts'
import { downstreamResponseHead, interimFields } from '../../../http/response-head.ts'
import type { ExchangeRecord } from '../../exchange-record.ts'
import { answerFields, type OwnAnswer } from '../../own-answers.ts'
import type { EngineContext } from './context.ts'
import type { ExchangeHost, ExchangeMessage, UpgradeOffer } from './exchange-host.ts'
import { nodeFields } from './node-fields.ts'

export interface ClientResponseParts {
  readonly context: EngineContext
  readonly host: ExchangeHost
  readonly message: ExchangeMessage
  readonly record: ExchangeRecord
}

/** The head of an upstream's response. */
export interface RelayedHead extends CheckedResponse {
  readonly status: number
  readonly reason: string
}

export class ClientResponse {
  readonly #context: EngineContext
  readonly #host: ExchangeHost
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upgrade: UpgradeOffer | undefined
  readonly #record: ExchangeRecord
  #awaitsContinue: boolean
  #isLast = false

  constructor({ context, host, message, record }: ClientResponseParts) {
    this.#context = context
    this.#host = host
    this.#request = message.request
    this.#response = message.response
    this.#upgrade = message.upgrade
    this.#record = record
    this.#awaitsContinue = message.expectsContinue
  }

  /** Whether a final head went out. */
  get hasBegun(): boolean {
    return this.#response.headersSent
  }

  /** Whether all of it is out. */
  get isFinished(): boolean {
    return this.#response.writableFinished
  }

  /** Whether the client waits for a `100` before it sends its body. */
  get awaitsContinue(): boolean {
    return this.#awaitsContinue
  }

  /** Whether the client was told that nothing follows on its connection. */
  get isLast(): boolean {
    return this.#isLast
  }

  /** Passes a 1xx on, where the client's version knows them and nothing final went out. */
  relayInterim(status: number, fields: HeaderList): void {
    if (this.hasBegun || this.#request.httpVersionMinor === 0) return
    this.#record.interim()
    if (status === 100) {
      this.#awaitsContinue = false
      this.#response.writeContinue()
    } else this.#response.writeInformation(status, interimFields(new HeaderIndex(fields)))
  }

  /** Passes an upstream's head on, with how its body ends; `undefined`: it could split a message, nothing was written. */
  relayHead({ index, framing, status, reason }: RelayedHead): { readonly isChunked: boolean } | undefined {
    const head = downstreamResponseHead({
      index,
      framing,
      status,
      clientMinorVersion: this.#request.httpVersionMinor,
      closes: this.#decideLast(false),
      date: this.#context.date(),
    })
    // Behind a request that Node's parser has left, nobody else ends the connection with the body.
    if (head.body === 'close') this.#isLast = true
    return this.#writeHead(status, reason, head.fields) ? { isChunked: head.body === 'chunked' } : undefined
  }

  /** Writes an answer of our own; `mustClose`: whatever the answer says, the connection ends with it. */
  tell(answer: OwnAnswer, mustClose: boolean): void {
    const fields = answerFields(answer, {
      closes: this.#decideLast(answer.closes || mustClose),
      clientMinorVersion: this.#request.httpVersionMinor,
      date: this.#context.date(),
    })
    if (this.#writeHead(answer.status, answer.reason, fields)) this.#response.end(answer.body)
  }

  /** False where the serializer found a name or value that could split a message (R20-47); nothing was written. */
  #writeHead(status: number, reason: string, fields: HeaderList): boolean {
    const response = this.#response
    this.#record.settled()
    // Node's own Connection field; ours is among `fields` where one is needed (R20-5).
    response.removeHeader('connection')
    if (this.#request.httpVersionMinor === 0) response.useChunkedEncodingByDefault = false
    try {
      response.writeHead(status, reason, nodeFields(fields))
    } catch {
      return false
    }
    this.#record.answered(status)
    return true
  }

  /** Whether the connection ends with this response. */
  #decideLast(mustBe: boolean): boolean {
    // Whoever waits for a 100 that never came may or may not send the body: only the end of the connection is clear.
    const isUnclear = this.#awaitsContinue || (this.#upgrade?.heldBytes ?? 0) > 0
    this.#isLast = mustBe || isUnclear || !this.#keepsAlive() || this.#host.mustClose()
    return this.#isLast
  }

  /** Of an HTTP/1.0 client Node takes `Proxy-Connection` for a wish, and `keep-alive` beside `close` (RFC 9112, 9.3). */
  #keepsAlive(): boolean {
    // The parser reads nothing behind a request that it takes for the last, by a field of its trailer too.
    if (!this.#response.shouldKeepAlive || closesInTrailer(this.#request)) return false
    if (this.#request.httpVersionMinor > 0) return true
    const options = listTokens([this.#request.headers.connection ?? ''])
    return options.includes('keep-alive') && !options.includes('close')
  }
}

function closesInTrailer({ rawTrailers }: IncomingMessage): boolean {
  if (rawTrailers.length === 0) return false
  const index = new HeaderIndex(rawTrailers)
  return index.has('connection') || index.has('proxy-connection')
}
