// One request with its response: the pump of the standard engine. It decides nothing; it asks and carries out.
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Peer } from '../../../http/forwarded.ts'
import { responseFraming } from '../../../http/framing.ts'
import { HeaderIndex, type HeaderList } from '../../../http/header-list.ts'
import { type CheckedRequest, checkRequest } from '../../../http/request-check.ts'
import { upstreamRequestHead } from '../../../http/request-head.ts'
import { downstreamResponseHead, type ResponseHead } from '../../../http/response-head.ts'
import type { ProcessField } from '../../../model/counters.ts'
import type { Endpoint } from '../../../model/endpoint-table.ts'
import { pickWeighted } from '../../../router/pick-weighted.ts'
import { afterFailedTry } from '../../../router/retry-rule.ts'
import type { ServedPair } from '../../engine.ts'
import { type AnswerName, answerFields, ownAnswer } from '../../own-answers.ts'
import { RetryBuffer } from '../../upstream/retry.ts'
import { Attempt, type AttemptEvents, type AttemptRequest, type TryFault } from './attempt.ts'
import type { EngineContext } from './context.ts'
import { ExchangeRecord } from './exchange-record.ts'
import { nodeFields } from './node-fields.ts'
import { refusalField } from './refusals.ts'
import { RequestBody } from './request-body.ts'
import { ResponseBody } from './response-body.ts'
import type { HostMemory } from './route-reader.ts'

/** What an exchange is told of the connection it runs on, and tells it. */
export interface ExchangeHost {
  readonly peer: Peer
  /** The port that clients dial. */
  readonly port: number
  readonly memory: HostMemory
  /** Whether the connection ends with the answer, by what the connection knows. */
  mustClose(): boolean
  /** The response is out and the request is read; the connection may serve the next one. */
  exchangeEnded(): void
  /** Ends the connection behind what was written. */
  close(): void
  /** Cuts the connection: what was begun cannot be ended truthfully (R20-73). */
  cut(): void
}

/** The upgrade that a request asks for: what the exchange does not do itself. */
export interface UpgradeOffer {
  /** Whether bytes came behind the request, before it was answered. */
  hasEarlyBytes(): boolean
  /** Takes over both sockets. The exchange ends when the tunnel does: `ended`. */
  accept(response: IncomingMessage, upstream: Socket, early: Buffer, ended: () => void): void
}

type Phase = 'begun' | 'trying' | 'responding' | 'answered' | 'tunnel' | 'ended'

export class Exchange {
  readonly #context: EngineContext
  readonly #host: ExchangeHost
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #upgrade: UpgradeOffer | undefined
  readonly #record: ExchangeRecord
  readonly #kept: RetryBuffer
  readonly #tried: Endpoint[] = []
  #body: RequestBody | undefined
  #relay: ResponseBody | undefined
  #attempt: Attempt | undefined
  #checked: CheckedRequest | undefined
  #phase: Phase = 'begun'
  #connects = 0
  #reusedRetries = 0
  #expectsContinue = false
  #movedMs: number
  #drainUntilMs = Number.POSITIVE_INFINITY

  constructor(
    context: EngineContext,
    host: ExchangeHost,
    message: { readonly request: IncomingMessage; readonly response: ServerResponse },
    upgrade: UpgradeOffer | undefined,
  ) {
    this.#context = context
    this.#host = host
    this.#request = message.request
    this.#response = message.response
    this.#upgrade = upgrade
    this.#record = new ExchangeRecord(context.deps)
    this.#kept = new RetryBuffer(context.limits.retryBufferBytes)
    this.#movedMs = context.deps.clock.monotonicMs()
  }

  /** Whether the request has been read to its end. */
  get hasWholeRequest(): boolean {
    return this.#request.complete
  }

  start({ expectsContinue }: { readonly expectsContinue: boolean }): void {
    this.#expectsContinue = expectsContinue
    // Without a listener an error here would end the process (R70-70); the connection's close tells what it means.
    this.#request.on('error', () => undefined)
    this.#response.on('error', () => undefined)
    this.#response.on('finish', () => this.#finished())
    const checked = checkRequest(
      {
        method: this.#request.method ?? '',
        target: this.#request.url ?? '',
        majorVersion: this.#request.httpVersionMajor,
        minorVersion: this.#request.httpVersionMinor,
        fields: this.#request.rawHeaders,
      },
      this.#context.requestLimits,
    )
    if (checked.ok) this.#route(checked.value)
    else this.#answer(checked.error)
  }

  /** The request's body turned out to be malformed: nothing of it is completed upstream (R71-3). */
  requestBroken(name: AnswerName): void {
    if (this.#phase === 'begun' || this.#phase === 'trying') this.#answer(name)
    else if (this.#phase === 'responding') this.#cut()
    else this.#host.close()
  }

  /** The client's connection is gone. */
  connectionClosed(): void {
    if (this.#phase === 'tunnel') return
    this.#attempt?.abort()
    this.#end()
  }

  /** Acts on a deadline that has passed (R20-79, R20-81, R20-89, R20-110, R20-111). */
  checkDeadline(nowMs: number): void {
    if (nowMs >= this.#drainUntilMs) {
      this.#host.cut()
      return
    }
    if (this.#phase === 'trying') this.#checkWaiting(nowMs)
    else if (this.#phase === 'responding' || this.#phase === 'answered') this.#checkResponding(nowMs)
  }

  #route(checked: CheckedRequest): void {
    this.#checked = checked
    const { deps, reader, limits } = this.#context
    const pair = deps.current()
    const decision = reader.decide(pair.router, checked.host, checked.path, this.#host.memory)
    this.#record.routed(pair, decision)
    this.#body = new RequestBody(
      this.#request,
      {
        exists: checked.framing.kind !== 'none' && !(checked.framing.kind === 'length' && checked.framing.bytes === 0),
        maxBytes: limits.maxBodyBytes,
        kept: this.#kept,
        keepsUnderscores: deps.settings.underscoreHeaders === 'keep',
      },
      this.#bodyEvents(),
    )
    switch (decision.kind) {
      case 'respond':
        this.#answer(decision.reason)
        return
      case 'forward': {
        const { action } = decision.route
        const backends = action.kind === 'forward' ? action.backends : []
        const backend = pickWeighted(backends, deps.random())?.backend
        if (backend === undefined) this.#answer('no-endpoint')
        else this.#forward(checked, pair, backend)
      }
    }
  }

  #forward(checked: CheckedRequest, pair: ServedPair, backend: string): void {
    const head = upstreamRequestHead(
      {
        index: checked.index,
        framing: checked.framing,
        hop: {
          peer: this.#host.peer,
          authority: checked.authority,
          port: this.#host.port,
          scheme: 'http',
          freshId: freshRequestId(this.#context.deps.random),
        },
        upgrade: this.#upgrade !== undefined,
      },
      this.#context.requestRules,
    )
    if (!head.ok) {
      this.#answer('malformed')
      return
    }
    this.#record.dropped(head.value.dropped)
    this.#phase = 'trying'
    const message: AttemptRequest = {
      method: checked.method,
      target: checked.path + checked.query,
      fields: head.value.fields,
      maxHeaderBytes: this.#context.limits.maxResponseHeaderBytes,
    }
    this.#tryEndpoint({ pair, backend, message }, undefined)
  }

  /** Tries an endpoint that was not tried yet, or `same` once more. */
  #tryEndpoint(course: Course, same: Endpoint | undefined): void {
    const { deps, pool } = this.#context
    const endpoint = same ?? course.pair.balancers.pick(course.backend, deps.random(), this.#tried)
    if (!endpoint) {
      this.#answer(course.lastFault === undefined ? 'no-endpoint' : answerTo(course.lastFault))
      return
    }
    if (!same) this.#tried.push(endpoint)
    this.#connects += 1
    this.#record.chosen(endpoint)
    this.#touch()
    try {
      this.#attempt = new Attempt(
        endpoint,
        pool.agentFor(endpoint),
        course.message,
        this.#attemptEvents(course, endpoint),
      )
    } catch {
      // The serializer of node:http found a name or value that could split a message (R20-47).
      this.#answer('malformed')
    }
  }

  #attemptEvents(course: Course, endpoint: Endpoint): AttemptEvents {
    return {
      connected: (request) => this.#send(request),
      interim: (status, fields) => this.#relayInterim(status, fields),
      responded: (response) => this.#respond(response),
      upgraded: (response, socket, early) => this.#switch(response, socket, early),
      failed: (fault) => this.#tryFailed({ ...course, lastFault: fault }, endpoint),
    }
  }

  #send(request: ClientRequest): void {
    this.#record.sent()
    this.#touch()
    this.#body?.sendTo(request)
    // An awaited 100 asks for the head without a body; node:http sends it with the first byte of one.
    if (this.#expectsContinue) request.flushHeaders()
  }

  #tryFailed(course: Course & { readonly lastFault: TryFault }, endpoint: Endpoint): void {
    const { lastFault: fault } = course
    this.#record.leftEndpoint()
    this.#body?.detach()
    if (fault.kind === 'connect') this.#record.connectFailed(fault.fault.failure)
    const next = afterFailedTry(
      {
        method: course.message.method,
        failure: fault.kind === 'broken' ? 'other' : fault.kind,
        canReplayBody: this.#body?.canReplay ?? false,
        connects: this.#connects,
        reusedRetries: this.#reusedRetries,
      },
      this.#context.deps.settings.maxConnectAttempts,
    )
    switch (next) {
      case 'other-endpoint':
        this.#record.count('retriesConnect')
        this.#tryEndpoint(course, undefined)
        return
      case 'fresh-connection':
        this.#record.count('retriesReused')
        this.#reusedRetries += 1
        this.#attempt?.agent.closeIdle()
        this.#tryEndpoint(course, endpoint)
        return
      case 'give-up':
        this.#answer(answerTo(fault))
    }
  }

  #relayInterim(status: number, fields: HeaderList): void {
    this.#touch()
    if (this.#response.headersSent || this.#request.httpVersionMinor === 0) return
    this.#record.interim()
    if (status === 100) {
      this.#expectsContinue = false
      this.#response.writeContinue()
    } else this.#response.writeInformation(status, fields)
  }

  #respond(upstream: IncomingMessage): void {
    upstream.on('error', () => undefined)
    const head = this.#headFor(upstream)
    if (!head) {
      this.#attempt?.abort()
      this.#answer('upstream-fault')
      return
    }
    this.#record.headed(upstream.statusCode ?? 0)
    this.#kept.drop()
    if (!this.#writeHead(upstream.statusCode ?? 0, upstream.statusMessage ?? '', head.fields)) {
      this.#attempt?.abort()
      return
    }
    this.#phase = 'responding'
    this.#relay = new ResponseBody(
      upstream,
      this.#response,
      {
        takesTrailers: head.body === 'chunked',
        keepsUnderscores: this.#context.deps.settings.underscoreHeaders === 'keep',
      },
      {
        moved: () => this.#touch(),
        received: () => this.#received(),
        cut: () => this.#cut(),
        trailersDropped: (count) => this.#record.count('droppedTrailer', count),
      },
    )
    this.#relay.start()
  }

  /** The head for the client; `undefined` where the upstream's is none that can be relayed (71 J). */
  #headFor(upstream: IncomingMessage): ResponseHead | undefined {
    const status = upstream.statusCode ?? 0
    const { limits } = this.#context
    if (status < 200 || status > 599 || upstream.rawHeaders.length / 2 > limits.maxResponseHeaders) return undefined
    const index = new HeaderIndex(upstream.rawHeaders)
    const framing = responseFraming(index, status, this.#checked?.method ?? '')
    if (!framing.ok) return undefined
    this.#noteKeepAlive(upstream, index)
    return downstreamResponseHead({
      index,
      status,
      framing: framing.value,
      clientMinorVersion: this.#request.httpVersionMinor,
      closes: this.#closesAfterAnswer(),
      date: this.#context.date(),
    })
  }

  #noteKeepAlive(upstream: IncomingMessage, index: HeaderIndex): void {
    const [announced] = index.values('keep-alive')
    if (announced !== undefined) this.#attempt?.agent.noteKeepAlive(upstream.socket, announced)
  }

  #switch(response: IncomingMessage, socket: Socket, early: Buffer): void {
    if (!this.#upgrade) {
      socket.destroy()
      this.#answer('upstream-fault')
      return
    }
    this.#record.headed(101)
    this.#record.interim()
    this.#record.settled()
    this.#phase = 'tunnel'
    this.#upgrade.accept(response, socket, early, () => this.#end())
  }

  /** Answers by ourselves, as long as nothing was answered yet. */
  #answer(name: AnswerName): void {
    if (this.#response.headersSent) {
      this.#cut()
      return
    }
    this.#attempt?.abort()
    this.#record.leftEndpoint()
    const field: ProcessField | undefined = refusalField(name)
    if (field) this.#record.count(field)
    const answer = ownAnswer(name)
    const fields = answerFields(answer, {
      closes: this.#closesAfterAnswer() || this.#hasMuchUnread(),
      clientMinorVersion: this.#request.httpVersionMinor,
      date: this.#context.date(),
    })
    this.#phase = 'answered'
    if (this.#writeHead(answer.status, answer.reason, fields)) this.#response.end(answer.body)
    this.#drainRequest()
  }

  #writeHead(status: number, reason: string, fields: HeaderList): boolean {
    const response = this.#response
    this.#record.settled()
    // Node's own Connection field; ours is among `fields` where one is needed (R20-5).
    response.removeHeader('connection')
    if (this.#request.httpVersionMinor === 0) response.useChunkedEncodingByDefault = false
    try {
      response.writeHead(status, reason, nodeFields(fields))
    } catch {
      // The serializer found a name or value that could split a message (R20-47).
      if (this.#phase === 'answered') this.#cut()
      else this.#answer('upstream-fault')
      return false
    }
    this.#record.answered(status)
    return true
  }

  #closesAfterAnswer(): boolean {
    // Whoever waits for a 100 that never came may or may not send the body: only the end of the connection is clear.
    return this.#host.mustClose() || this.#expectsContinue || !this.#response.shouldKeepAlive || this.#losesUpgrade()
  }

  #losesUpgrade(): boolean {
    return this.#upgrade?.hasEarlyBytes() ?? false
  }

  #hasMuchUnread(): boolean {
    const framing = this.#checked?.framing
    return framing?.kind === 'length' && framing.bytes > this.#context.limits.drainBytes && !this.#request.complete
  }

  /** The upstream's response is complete; what is left of the request has no reader any more. */
  #received(): void {
    this.#touch()
    this.#phase = 'answered'
    if (this.#body?.isEnded === false) this.#attempt?.abort()
    this.#record.leftEndpoint()
    this.#drainRequest()
  }

  #drainRequest(): void {
    if (this.#body) this.#body.drain(this.#context.limits.drainBytes)
    else this.#request.resume()
    if (this.#isRequestRead()) return
    this.#drainUntilMs = this.#context.deps.clock.monotonicMs() + this.#context.limits.drainMs
  }

  #isRequestRead(): boolean {
    return this.#body ? this.#body.isEnded : this.#request.complete
  }

  #finished(): void {
    this.#record.completed()
    if (this.#isRequestRead()) this.#end()
  }

  #cut(): void {
    this.#attempt?.abort()
    this.#host.cut()
  }

  #end(): void {
    if (this.#phase === 'ended') return
    this.#phase = 'ended'
    this.#record.ended()
    this.#host.exchangeEnded()
  }

  #bodyEvents(): ConstructorParameters<typeof RequestBody>[2] {
    return {
      moved: () => this.#touch(),
      tooLarge: () => this.#answer('body-too-large'),
      ended: () => {
        this.#touch()
        if (this.#response.writableFinished) this.#end()
      },
      drainExceeded: () => this.#host.cut(),
      trailersDropped: (count) => this.#record.count('droppedTrailer', count),
    }
  }

  #touch(): void {
    this.#movedMs = this.#context.deps.clock.monotonicMs()
  }

  #checkWaiting(nowMs: number): void {
    const { limits } = this.#context
    const waitsForClient = this.#body !== undefined && !this.#body.isEnded && !this.#body.isHeld
    const limitMs = waitsForClient ? limits.bodyTimeoutMs : limits.responseTimeoutMs
    if (nowMs - this.#movedMs < limitMs || this.#attempt?.isConnecting === true) return
    if (waitsForClient) this.#answer('body-too-slow')
    else {
      this.#record.count('timeoutHead')
      this.#answer('response-timeout')
    }
  }

  #checkResponding(nowMs: number): void {
    const { limits } = this.#context
    const waitsForClient = this.#phase === 'answered' || (this.#relay?.waitsForClient ?? false)
    const limitMs = waitsForClient ? limits.sendTimeoutMs : limits.responseTimeoutMs
    if (nowMs - this.#movedMs < limitMs) return
    this.#record.count(waitsForClient ? 'refusedSendTimeout' : 'timeoutBody')
    this.#cut()
  }
}

/** Where a request goes: one pair, one backend and one head for all its tries (R20-130). */
interface Course {
  readonly pair: ServedPair
  readonly backend: string
  readonly message: AttemptRequest
  readonly lastFault?: TryFault
}

function answerTo(fault: TryFault): AnswerName {
  switch (fault.kind) {
    case 'connect':
      return fault.fault.status === 504 ? 'connect-timeout' : 'no-connection'
    case 'reused':
    case 'broken':
      return 'upstream-fault'
  }
}

const ID_WORDS = 4

/** 32 hexadecimal digits (R20-30). */
function freshRequestId(random: () => number): string {
  let id = ''
  for (let word = 0; word < ID_WORDS; word += 1) {
    id += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  }
  return id
}
