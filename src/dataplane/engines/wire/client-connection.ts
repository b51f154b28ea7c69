// One client connection: its requests one after the other, and how it ends.
import type { Peer } from '../../../http/forwarded.ts'
import type { RequestScan } from '../../../http/h1-request-scan.ts'
import type { BufferAccount } from '../../buffer-budget.ts'
import { type Dialled, dialledBy } from '../../dialled.ts'
import type { ConnectionOrigin } from '../../engine.ts'
import { MisdirectionCheck } from '../../misdirection-check.ts'
import type { AnswerForm, AnswerName } from '../../own-answers.ts'
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'
import type { KeptConnection } from './connection-keeper.ts'
import type { WireContext } from './context.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { HostMemory } from './host-memory.ts'
import { Intake, type IntakeOwner } from './intake.ts'
import { sendRefusal } from './refusal.ts'
import { RequestHeads, type RequestHeadsOwner } from './request-heads.ts'

/** Who has just connected, or was just answered, is about to ask: to close on that would lose a request. */
const FRESH_MS = 1000

type State = 'idle' | 'busy' | 'closing' | 'tunnel' | 'gone'

export class ClientConnection
  implements ConnectionEvents, ExchangeHost, KeptConnection, IntakeOwner, RequestHeadsOwner
{
  readonly connection: Connection
  readonly peer: Peer
  readonly port: number
  readonly scheme: Dialled['scheme']
  readonly memory: HostMemory
  readonly isStream: boolean
  readonly intake: Intake
  readonly #origin: ConnectionOrigin
  readonly #context: WireContext
  readonly #account: BufferAccount
  #state: State = 'idle'
  /** Made for what comes first after a silence, and used again for all that follows; likewise the exchange. */
  #heads: RequestHeads | undefined
  #exchange: Exchange | undefined
  #requests = 0
  /** Whether it is counted as a connection that HTTP/1.1 took (R20-6). */
  #isCounted: boolean
  /** Since when it is idle; while closing: when it is cut. */
  #sinceMs = 0
  #drained = 0
  #hasEnded = false
  #endsWhenIdle = false

  constructor(context: WireContext, connection: Connection, origin: ConnectionOrigin) {
    this.#context = context
    this.#origin = origin
    this.isStream = origin.stream !== undefined
    this.memory = new HostMemory(MisdirectionCheck.of(origin))
    this.#isCounted = this.isStream
    this.connection = connection
    this.intake = new Intake(connection, this)
    const address = origin.proxied?.address ?? connection.peerAddress
    this.peer = { address, trusted: context.requestRules.trustedProxies.contains(address) }
    const { scheme, port } = dialledBy(origin, context.deps.settings)
    this.scheme = scheme
    this.port = port
    this.#account = context.budget.open()
    context.time.tick()
    this.#sinceMs = context.time.nowMs
  }

  get isBusy(): boolean {
    return this.#state === 'busy'
  }

  get hasEnded(): boolean {
    return this.#hasEnded
  }

  get mayBeHttp2(): boolean {
    return !this.#isCounted && !this.#origin.secure && this.#context.deps.takeHttp2 !== undefined
  }

  get keepsRest(): boolean {
    return this.#state === 'idle' || this.#state === 'busy'
  }

  opened(): void {}

  received(bytes: Buffer, length: number): void {
    this.#context.time.tick()
    if (this.#state === 'closing') this.#drain(length)
    else this.intake.received(bytes, length)
  }

  ended(): void {
    this.#context.time.tick()
    this.#hasEnded = true
    if (this.#state === 'idle') this.#endIdle()
    else if (this.#state === 'busy') this.#breakUnfinished()
  }

  drained(): void {
    this.#context.time.tick()
    this.#exchange?.clientDrained()
    if (this.#state !== 'busy') this.#tellBuffers()
  }

  closed(): void {
    const wasTunnel = this.#state === 'tunnel'
    this.#countLane()
    this.#state = 'gone'
    this.intake.clear()
    if (wasTunnel) return
    this.#exchange?.connectionClosed()
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
  }

  take(bytes: Buffer, from: number, to: number): number {
    if (this.#state === 'busy') return this.#exchange?.takeBody(bytes, from, to) ?? to
    if (this.#state !== 'idle') return from
    this.#heads ??= new RequestHeads(this.#context, this)
    return this.#heads.read(bytes, from, to)
  }

  readDone(): void {
    if (this.#state === 'busy') {
      this.#exchange?.readDone()
      if (this.intake.length > 0) this.intake.pause()
      else if (this.#hasEnded) this.#breakUnfinished()
      else this.#resumeWhereWanted()
    } else if (this.#hasEnded) this.#endIdle()
    else {
      this.#tellBuffers()
      if (this.#endsWhenIdle && this.#isSilent()) this.close()
      else this.intake.resume()
    }
  }

  requestCame(scan: RequestScan, bytes: Buffer, left: number): void {
    this.#countLane()
    this.#requests += 1
    this.#state = 'busy'
    this.intake.left = left
    this.#exchange ??= new Exchange(this.#context, this)
    this.#exchange.start(scan, bytes)
  }

  /** Hands the connection over as it came. */
  http2Came(early: Buffer): void {
    this.#state = 'gone'
    this.#isCounted = true
    this.intake.clear()
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
    this.#context.keeper.speaksHttp2(this, early, this.#origin)
  }

  /** Acts on a deadline that has passed (R20-74, R20-77). */
  check(nowMs: number): void {
    if (this.#state === 'busy') this.#exchange?.checkDeadline(nowMs)
    else if (this.#state === 'idle') this.#checkIdle(nowMs)
    else if (this.#state === 'closing' && nowMs >= this.#sinceMs) this.connection.close()
  }

  mustClose(): boolean {
    const { keeper, limits } = this.#context
    if (keeper.isDraining() || this.#requests >= limits.keepAliveRequests) return true
    // Requests that came before the FIN are still to be answered (R70-129).
    return this.#hasEnded && this.intake.waiting === 0
  }

  exchangeEnded(isLast: boolean): void {
    if (this.#state !== 'busy') return
    this.#state = 'idle'
    if (isLast) {
      this.close()
      return
    }
    this.#sinceMs = this.#context.time.nowMs
    this.#tellBuffers()
    const { isReading, length } = this.intake
    // Within a read it goes on by itself; there is no other end to a long row of answers that need no wait.
    if (isReading) return
    // Many a client asks once and is silent then: what was made for it dies young, and is kept from the second request on.
    if (this.#requests === 1 && length === 0) this.#exchange = undefined
    if (length === 0 && (this.#hasEnded || this.#endsWhenIdle)) this.close()
    else this.#readKept()
  }

  readOn(): void {
    if (!this.intake.isReading) this.#readKept()
  }

  becomeTunnel(take: (bytes: Buffer, from: number, to: number) => void): void {
    const intake = this.intake
    this.#state = 'tunnel'
    take(intake.bytes, intake.from, intake.to)
    intake.clear()
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
  }

  buffers(bytes: number): void {
    if (this.#state === 'busy') this.#account.set(bytes + this.intake.length)
  }

  /** Answers where no request can be read, and closes. */
  refuse(name: AnswerName, form: AnswerForm = 'text'): void {
    this.#countLane()
    sendRefusal(this.#context, this.connection, { name, form })
    this.close()
  }

  /**
   * Ends our side and reads on for a moment (R71-4): to close over bytes that nobody read would reset the connection
   * and could take the answer from the client.
   */
  close(): void {
    if (this.#state === 'closing' || this.#state === 'gone' || this.#state === 'tunnel') return
    this.#state = 'closing'
    this.#sinceMs = this.#context.time.nowMs + this.#context.limits.drainMs
    this.intake.clear()
    this.#heads?.forget()
    this.#tellBuffers()
    this.connection.end()
    this.intake.resume()
  }

  /** Closes now if nothing is in flight, else when that has ended (R20-167). A head that has begun is in flight. */
  endWhenIdle(): void {
    this.#endsWhenIdle = true
    if (this.#isSilent()) this.close()
  }

  /** Closes where nothing is in flight and no head is about to begin; whether it did (R20-126). */
  closeIfIdle(nowMs: number): boolean {
    if (!this.#isSilent() || nowMs - this.#sinceMs < FRESH_MS) return false
    this.close()
    return true
  }

  get #hasHalfHead(): boolean {
    return this.#heads?.hasBegun === true
  }

  #isSilent(): boolean {
    return this.#state === 'idle' && !this.#hasHalfHead && this.intake.length === 0
  }

  #readKept(): void {
    if (this.intake.length > 0) this.intake.readKept()
    else this.#resumeWhereWanted()
  }

  #countLane(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#context.deps.counters.addProcess('dispatchH1', 1)
  }

  /** The client sends no more: half a head that will never be whole is answered; silence is not. */
  #endIdle(): void {
    if (this.#hasHalfHead) this.refuse('malformed')
    else this.close()
  }

  /** Likewise: what of its request is not here will never come. */
  #breakUnfinished(): void {
    if (this.intake.length === 0 && this.#exchange?.hasWholeRequest === false) this.#exchange.bodyRefused('malformed')
  }

  #resumeWhereWanted(): void {
    if (this.#state === 'idle' || this.#exchange?.wantsBytes !== false) this.intake.resume()
  }

  #tellBuffers(): void {
    this.#account.set(this.intake.length + this.connection.queuedBytes)
  }

  /** Counts what is read for nothing; one who floods us meanwhile is cut. */
  #drain(length: number): void {
    this.#drained += length
    if (this.#drained > this.#context.limits.drainBytes) this.connection.close()
  }

  #checkIdle(nowMs: number): void {
    const { limits } = this.#context
    if (this.#isSilent()) {
      const limitMs = this.#requests === 0 ? limits.headerTimeoutMs : limits.keepAliveTimeoutMs
      if (nowMs - this.#sinceMs >= limitMs) this.close()
      // Who is silent for long may be one of ten thousand: what serves requests is made anew for the next (R60-39).
      else if (nowMs - this.#sinceMs >= FRESH_MS) {
        this.#heads = undefined
        this.#exchange = undefined
      }
      return
    }
    // Before the first request the time runs from the connection on.
    const headMs = this.#requests === 0 ? this.#sinceMs : (this.#heads?.sinceMs ?? nowMs)
    if (nowMs - headMs >= limits.headerTimeoutMs) this.refuse('head-too-slow')
  }
}
