// One client connection: its requests one after the other, and how it ends.
import type { Socket } from 'node:net'
import { type Peer, plainAddress } from '../../../http/forwarded.ts'
import type { ProcessField } from '../../../model/counters.ts'
import type { BufferAccount } from '../../buffer-budget.ts'
import { type Dialled, dialledBy } from '../../dialled.ts'
import type { ConnectionOrigin } from '../../engine.ts'
import { MisdirectionCheck } from '../../misdirection-check.ts'
import { type AnswerForm, type AnswerName, answerBytes, ownAnswer } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import { emptyHostMemory, type HostMemory } from '../../route-reader.ts'
import type { EngineContext } from './context.ts'
import type { DetachedRequest } from './detached-request.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeHost, ExchangeMessage } from './exchange-host.ts'

/** A request that was parsed and waits for its turn (R20-57). */
export interface Turn extends ExchangeMessage {
  /** Set where node:http has no part in the response. */
  readonly detached: DetachedRequest | undefined
}

/** Bytes of empty lines before a request (R20-86). */
const MAX_EMPTY_LINES = 1024
/** Who has just connected, or was just answered, is about to ask: to close on that would lose a request. */
const FRESH_MS = 1000

export class ClientConnection implements ExchangeHost {
  readonly socket: Socket
  readonly peer: Peer
  readonly port: number
  readonly scheme: Dialled['scheme']
  readonly memory: HostMemory = emptyHostMemory()
  readonly misdirection: MisdirectionCheck | undefined
  readonly isStream: boolean
  readonly #context: EngineContext
  readonly #waiting: Turn[] = []
  readonly #acceptedMs: number
  readonly #account: BufferAccount
  #current: Exchange | undefined
  #detached: DetachedRequest | undefined
  #requests = 0
  /** Whether it is counted as a connection that HTTP/1.1 took (R20-6). */
  #isCounted: boolean
  /** A malformed request behind those that are still to be answered. */
  #fault: AnswerName | undefined
  #closing: { readonly fromBytes: number; readonly timer: NodeJS.Timeout } | undefined
  #idleMs: number
  #idleBytes = 0
  #headMs: number | undefined
  #endsWhenIdle = false
  #hearsDrain = false
  /** More requests stood in one read than may wait: the last that was taken ends the connection. */
  #isOverfull = false

  constructor(context: EngineContext, socket: Socket, origin: ConnectionOrigin) {
    this.#context = context
    this.isStream = origin.stream !== undefined
    this.misdirection = MisdirectionCheck.of(origin)
    this.#isCounted = this.isStream
    this.socket = socket
    const address = origin.proxied?.address ?? plainAddress(socket.remoteAddress ?? '')
    this.peer = { address, trusted: context.requestRules.trustedProxies.contains(address) }
    const { scheme, port } = dialledBy(origin, context.deps.settings)
    this.scheme = scheme
    this.port = port
    this.#acceptedMs = context.deps.clock.monotonicMs()
    this.#account = context.budget.open()
    this.#idleMs = this.#acceptedMs
  }

  /** Whether a request is being answered or waits for it. */
  get isBusy(): boolean {
    return this.#current !== undefined
  }

  get isClosing(): boolean {
    return this.#closing !== undefined
  }

  /** Whether more requests wait than may be read ahead. */
  get isHeld(): boolean {
    return this.#waiting.length > 0 && !this.isClosing
  }

  take(turn: Turn): void {
    // Without a listener an error would end the process (R70-70); the connection's close tells what it means.
    turn.request.on('error', () => undefined)
    turn.response.on('error', () => undefined)
    if (this.#isOver() || this.#isOverfull) {
      turn.request.resume()
      return
    }
    if (!this.#current) {
      this.#begin(turn)
      return
    }
    this.#waiting.push(turn)
    this.socket.pause()
    this.#isOverfull = this.#waiting.length >= this.#context.limits.maxPipelined
  }

  /** The parser cannot go on (R70-132): earlier requests get their answers first. */
  malformed(name: AnswerName): void {
    if (this.#isOver() || this.#isOverfull || this.#fault) return
    if (this.#current && this.#waiting.length === 0 && !this.#current.hasWholeRequest) {
      this.#fault = name
      this.#current.requestBroken(name)
    } else if (this.#current) this.#fault = name
    else this.refuse(name)
  }

  /** Answers where no request can be read, and closes. */
  refuse(name: AnswerName, form: AnswerForm = 'text'): void {
    const { counters } = this.#context.deps
    this.countLane()
    const field = refusalField(name)
    if (field) counters.addProcess(field, 1)
    const answer = ownAnswer(name, form)
    counters.addProcess('requests', 1)
    counters.addProcess(classOf(answer.status), 1)
    // What is answered as soon as it was read has taken no time, and is a request like any other.
    counters.observe('requestDuration', 0)
    this.socket.write(answerBytes(answer, { closes: true, clientMinorVersion: 1, date: this.#context.date() }))
    this.close()
  }

  mustClose(): boolean {
    return (
      this.#context.isDraining() ||
      this.#requests >= this.#context.limits.keepAliveRequests ||
      // By TLS the end is seen while requests before it still wait; they are answered (R70-129).
      ((this.#isOverfull || this.socket.readableEnded) && this.#waiting.length === 0)
    )
  }

  exchangeEnded(isLast: boolean): void {
    const detached = this.#detached
    this.#current = undefined
    this.#detached = undefined
    if (this.#isOver()) return
    if (detached && (isLast || this.socket.readableEnded)) {
      this.close()
      return
    }
    detached?.end()
    const next = this.#waiting.shift()
    if (next) {
      this.#begin(next)
      return
    }
    if (this.#fault) {
      this.refuse(this.#fault)
      return
    }
    this.#becomeIdle()
  }

  /** Node's parser has left the socket, and with it what tells a response that the client took something. */
  parserLeft(): void {
    if (this.#hearsDrain) return
    this.#hearsDrain = true
    this.socket.on('drain', () => this.#current?.drained())
  }

  cut(): void {
    this.socket.destroy()
  }

  /** Closes now if nothing is in flight, else when that has ended (R20-167). A head that has begun is in flight. */
  endWhenIdle(): void {
    this.#endsWhenIdle = true
    if (!this.#current && this.#isSilent()) this.close()
  }

  /**
   * Ends our side and reads on for a moment (R71-4): to close over bytes that nobody read would reset the connection
   * and could take the answer from the client.
   */
  close(): void {
    if (this.#isOver()) return
    const timer = setTimeout(() => this.socket.destroy(), this.#context.limits.drainMs)
    this.#closing = { fromBytes: this.socket.bytesRead, timer }
    this.#waiting.length = 0
    this.socket.end()
    this.#readUnparsed()
  }

  /** The socket is gone. */
  closed(): void {
    this.countLane()
    clearTimeout(this.#closing?.timer)
    this.#waiting.length = 0
    this.#current?.connectionClosed()
    this.#account.set(0)
  }

  /** It turned out to speak HTTP/2: its socket is another's. */
  givenAway(): void {
    this.#isCounted = true
    this.closed()
  }

  /** Counts it, once, as a connection that HTTP/1.1 took. */
  countLane(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#context.deps.counters.addProcess('dispatchH1', 1)
  }

  check(nowMs: number): void {
    if (this.#current) this.#current.checkDeadline(nowMs)
    else if (!this.isClosing) this.#checkIdle(nowMs)
  }

  buffers(bytes: number): void {
    if (!this.socket.destroyed) this.#account.set(bytes)
  }

  /** Closes where nothing is in flight and no head is about to begin; whether it did (R20-126). */
  closeIfIdle(nowMs: number): boolean {
    if (this.#current || this.isClosing || !this.#isSilent() || nowMs - this.#idleMs < FRESH_MS) return false
    this.close()
    return true
  }

  /** Lets go of all that still comes. As requests that nobody answers it would cost a hundred times its bytes. */
  #readUnparsed(): void {
    const leaveParser = (): void => {
      this.socket.removeAllListeners('data')
      this.socket.on('data', () => void this.#isOver())
    }
    // Node's own listener must have begun to read again: it goes with the parser.
    if (this.socket.isPaused()) this.socket.once('resume', leaveParser)
    else leaveParser()
    this.socket.resume()
  }

  #begin(turn: Turn): void {
    this.#requests += 1
    this.#headMs = undefined
    const exchange = new Exchange(this.#context, this, turn)
    this.#current = exchange
    this.#detached = turn.detached
    turn.detached?.begin()
    if (this.isHeld) this.socket.pause()
    exchange.start(this.#faultOf(turn))
  }

  #becomeIdle(): void {
    this.#idleMs = this.#context.deps.clock.monotonicMs()
    this.#idleBytes = this.socket.bytesRead
    this.#account.set(0)
    this.socket.resume()
    if (this.#endsWhenIdle) this.close()
  }

  /** The fault, where it stands in the body of this request: the end of that will never come. */
  #faultOf({ request }: Turn): AnswerName | undefined {
    return this.#waiting.length === 0 && !request.complete ? this.#fault : undefined
  }

  /** Whether the connection takes no request any more; one that floods it meanwhile is destroyed. */
  #isOver(): boolean {
    if (this.socket.destroyed) return true
    if (!this.#closing) return false
    const unread = this.socket.bytesRead - this.#closing.fromBytes
    if (unread > this.#context.limits.drainBytes) this.socket.destroy()
    return true
  }

  /** Whether no byte came since the last request. */
  #isSilent(): boolean {
    return this.socket.bytesRead === this.#idleBytes
  }

  #checkIdle(nowMs: number): void {
    const { limits } = this.#context
    if (this.#isSilent()) {
      const limitMs = this.#requests === 0 ? limits.headerTimeoutMs : limits.keepAliveTimeoutMs
      if (nowMs - this.#idleMs >= limitMs) this.close()
      return
    }
    const unread = this.socket.bytesRead - this.#idleBytes
    this.#account.set(unread)
    if (unread > limits.maxHeaderBytes * 2 + MAX_EMPTY_LINES) {
      // No head is that long: the parser would have said so. It skips empty lines and says nothing (R20-86).
      this.refuse('malformed')
      return
    }
    this.#headMs ??= this.#requests === 0 ? this.#acceptedMs : nowMs
    if (nowMs - this.#headMs >= limits.headerTimeoutMs) this.refuse('head-too-slow')
  }
}

function classOf(status: number): ProcessField {
  if (status >= 500) return 'responses5xx'
  return status >= 400 ? 'responses4xx' : 'responses2xx'
}
