// One client connection: its requests one after the other, what waits meanwhile, and how it ends.
import type { Peer } from '../../../http/forwarded.ts'
import { DONE, INVALID, type RequestScan } from '../../../http/h1-request-scan.ts'
import { prefaceIn } from '../../../http/h2-preface.ts'
import { isTypeKnown } from '../../../http/request-check.ts'
import type { BufferAccount } from '../../buffer-budget.ts'
import { type Dialled, dialledBy } from '../../dialled.ts'
import type { ConnectionOrigin } from '../../engine.ts'
import { ExchangeRecord } from '../../exchange-record.ts'
import { MisdirectionCheck } from '../../misdirection-check.ts'
import type { AnswerForm, AnswerName } from '../../own-answers.ts'
import { refusalField } from '../../refusals.ts'
import type { Connection, ConnectionEvents } from '../../transport/transport.ts'
import type { KeptConnection } from './connection-keeper.ts'
import type { WireContext } from './context.ts'
import { Exchange } from './exchange.ts'
import type { ExchangeHost } from './exchange-host.ts'
import { HostMemory } from './host-memory.ts'
import { Stash } from './stash.ts'

/** Who has just connected, or was just answered, is about to ask: to close on that would lose a request. */
const FRESH_MS = 1000

type State = 'idle' | 'busy' | 'closing' | 'tunnel' | 'gone'

export class ClientConnection implements ConnectionEvents, ExchangeHost, KeptConnection {
  readonly connection: Connection
  readonly peer: Peer
  /** The port that clients dial. */
  readonly port: number
  readonly scheme: Dialled['scheme']
  readonly memory: HostMemory
  readonly isStream: boolean
  readonly #origin: ConnectionOrigin
  readonly #context: WireContext
  readonly #account: BufferAccount
  readonly #stash = new Stash()
  #state: State = 'idle'
  /** Made for the first request after a silence, and used again for each that follows. */
  #exchange: Exchange | undefined
  /** Of a head that has not come whole. */
  #scan: RequestScan | undefined
  #requests = 0
  /** Whether it is counted as a connection that HTTP/1.1 took (R20-6). */
  #isCounted: boolean
  /** Since when it is idle; while closing: when it is cut. */
  #sinceMs = 0
  /** When the first byte of an unfinished head came, or when the connection did. */
  #headMs = 0
  #drained = 0
  #hasEnded = false
  #endsWhenIdle = false
  #isReading = false
  /** Bytes behind the head that was read last. */
  #left = 0
  #isPaused = false

  constructor(context: WireContext, connection: Connection, origin: ConnectionOrigin) {
    this.#context = context
    this.#origin = origin
    this.isStream = origin.stream !== undefined
    this.memory = new HostMemory(MisdirectionCheck.of(origin))
    this.#isCounted = this.isStream
    this.connection = connection
    const address = origin.proxied?.address ?? connection.peerAddress
    this.peer = { address, trusted: context.requestRules.trustedProxies.contains(address) }
    const { scheme, port } = dialledBy(origin, context.deps.settings)
    this.scheme = scheme
    this.port = port
    this.#account = context.budget.open()
    context.time.tick()
    this.#sinceMs = context.time.nowMs
    this.#headMs = context.time.nowMs
  }

  /** Whether a request is being answered. */
  get isBusy(): boolean {
    return this.#state === 'busy'
  }

  /** Whether a read is being taken apart: what goes on goes out at its end. */
  get isReading(): boolean {
    return this.#isReading
  }

  /** Whether bytes came behind the request that is being answered. */
  get hasEarlyBytes(): boolean {
    return this.#waiting > 0
  }

  /** Whether its peer has sent FIN. */
  get hasEnded(): boolean {
    return this.#hasEnded
  }

  opened(): void {}

  received(bytes: Buffer, length: number): void {
    this.#context.time.tick()
    if (this.#state === 'closing') this.#drain(length)
    else if (this.#stash.length > 0) {
      this.#stash.append(bytes, 0, length)
      this.#readStash()
    } else this.#read(bytes, 0, length)
  }

  ended(): void {
    this.#context.time.tick()
    this.#hasEnded = true
    switch (this.#state) {
      case 'idle':
        // Half a head that will never be whole is answered; silence is not.
        if (this.#scan) this.refuse('malformed')
        else this.close()
        return
      case 'busy':
        this.#breakUnfinished()
        return
      case 'closing':
      case 'tunnel':
      case 'gone':
        return
    }
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
    this.#stash.clear()
    if (wasTunnel) return
    this.#exchange?.connectionClosed()
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
  }

  /** Acts on a deadline that has passed (R20-74, R20-77). */
  check(nowMs: number): void {
    switch (this.#state) {
      case 'busy':
        this.#exchange?.checkDeadline(nowMs)
        return
      case 'idle':
        this.#checkIdle(nowMs)
        return
      case 'closing':
        if (nowMs >= this.#sinceMs) this.connection.close()
        return
      case 'tunnel':
      case 'gone':
        return
    }
  }

  /** Whether the connection ends with the answer that is about to be written, by what is known here. */
  mustClose(): boolean {
    const { keeper, limits } = this.#context
    if (keeper.isDraining() || this.#requests >= limits.keepAliveRequests) return true
    // Requests that came before the FIN are still to be answered (R70-129).
    return this.#hasEnded && this.#waiting === 0
  }

  /** The response is out and the request is read; `isLast`: the client was told that nothing follows. */
  exchangeEnded(isLast: boolean): void {
    if (this.#state !== 'busy') return
    this.#state = 'idle'
    if (isLast) {
      this.close()
      return
    }
    this.#becomeIdle()
    // Within a read it goes on by itself; there is no other end to a long row of answers that need no wait.
    if (this.#isReading) return
    if (this.#hasEnded && this.#stash.length === 0) this.close()
    else this.#readStash()
  }

  /** The exchange takes bytes of its body again. */
  readOn(): void {
    if (!this.#isReading) this.#readStash()
  }

  /** Holds back the client: nothing of it is read until `resume`. */
  pause(): void {
    this.#isPaused = true
    this.connection.pause()
  }

  /** Gives up the socket to a tunnel; what came early goes to `take` first. */
  becomeTunnel(take: (bytes: Buffer, from: number, to: number) => void): void {
    this.#state = 'tunnel'
    take(this.#stash.bytes, this.#stash.from, this.#stash.to)
    this.#stash.clear()
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
  }

  /** So many bytes wait in buffers of the exchange now. */
  buffers(bytes: number): void {
    if (this.#state === 'busy') this.#account.set(bytes + this.#stash.length)
  }

  /** Cuts the connection: what was begun cannot be ended truthfully (R20-73). */
  cut(): void {
    this.connection.close()
  }

  /** Answers where no request can be read, and closes. */
  refuse(name: AnswerName, form: AnswerForm = 'text'): void {
    this.#countLane()
    const { output, answers } = this.#context
    const record = new ExchangeRecord(this.#context)
    record.begun()
    const field = refusalField(name)
    if (field) record.count(field)
    const use = { closes: true, clientMinorVersion: 1, date: this.#context.date() }
    const answer = answers.of(name, form)
    answers.write(answer, use, output, false)
    record.answered(answer.status)
    output.sendTo(this.connection)
    record.completed()
    record.ended()
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
    this.#stash.clear()
    this.#scan = undefined
    this.#tellBuffers()
    this.connection.end()
    this.#resume()
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

  /** Bytes behind the request that is being answered: within the read that brought it they are in no stash yet. */
  get #waiting(): number {
    return this.#isReading ? this.#left : this.#stash.length
  }

  #isSilent(): boolean {
    return this.#state === 'idle' && this.#scan === undefined && this.#stash.length === 0
  }

  #readStash(): void {
    if (this.#stash.length > 0) this.#read(this.#stash.bytes, this.#stash.from, this.#stash.to)
    else this.#resumeWhereWanted()
  }

  /** Takes what stands in `bytes[from, to)` as far as its time has come, and keeps the rest. */
  #read(bytes: Buffer, from: number, to: number): void {
    this.#isReading = true
    let at = from
    while (at < to) {
      const next = this.#state === 'idle' ? this.#readHead(bytes, at, to) : this.#readBody(bytes, at, to)
      if (next === at) break
      at = next
    }
    this.#isReading = false
    if (this.#state === 'idle' || this.#state === 'busy') this.#keep(bytes, at, to)
  }

  /** The place behind the head and what of its body was taken with it; `from` where the head is not whole. */
  #readHead(bytes: Buffer, from: number, to: number): number {
    const scans = this.isStream ? this.#context.streamScans : this.#context.scans
    const scan = this.#scan ?? scans.take()
    const outcome = scan.scan(bytes, from, to)
    if (outcome === DONE) {
      this.#scan = undefined
      this.#left = to - scan.headEnd
      this.#begin(scan, bytes)
      const at = scan.headEnd
      scans.giveBack(scan)
      return at
    }
    if (outcome === INVALID && !this.#mayBePreface(scan, bytes, { from, to })) {
      this.#scan = undefined
      const { fault } = scan
      const form = isTypeKnown(fault) && scan.isGrpc(bytes) ? 'grpc' : 'text'
      scans.giveBack(scan)
      this.refuse(fault, form)
      return from
    }
    if (outcome === INVALID && prefaceIn(bytes, from, to) === 'whole') return this.#giveAway(bytes, from, to)
    if (!this.#scan) {
      this.#scan = scan
      if (this.#requests > 0) this.#headMs = this.#context.time.nowMs
    }
    return from
  }

  /** Whether this is the preface of HTTP/2, or the beginning of it, and somebody takes it. */
  #mayBePreface(
    { fault }: RequestScan,
    bytes: Buffer,
    { from, to }: { readonly from: number; readonly to: number },
  ): boolean {
    if (fault !== 'version-not-supported' || this.#isCounted || this.#origin.secure) return false
    return this.#context.deps.takeHttp2 !== undefined && prefaceIn(bytes, from, to) !== 'none'
  }

  /** Hands the connection over as it came; the place behind all that was read of it. */
  #giveAway(bytes: Buffer, from: number, to: number): number {
    const early = Buffer.copyBytesFrom(bytes, from, to - from)
    this.#state = 'gone'
    this.#isCounted = true
    this.#stash.clear()
    this.#scan = undefined
    this.#account.set(0)
    this.#context.keeper.connectionClosed(this)
    this.#context.keeper.speaksHttp2(this, early, this.#origin)
    return to
  }

  #countLane(): void {
    if (this.#isCounted) return
    this.#isCounted = true
    this.#context.deps.counters.addProcess('dispatchH1', 1)
  }

  #begin(scan: RequestScan, bytes: Buffer): void {
    this.#countLane()
    this.#requests += 1
    this.#state = 'busy'
    this.#exchange ??= new Exchange(this.#context, this)
    this.#exchange.start(scan, bytes)
  }

  #readBody(bytes: Buffer, from: number, to: number): number {
    return this.#state === 'busy' ? (this.#exchange?.takeBody(bytes, from, to) ?? to) : from
  }

  #keep(bytes: Buffer, from: number, to: number): void {
    this.#stash.keep(bytes, from, to)
    if (this.#state === 'busy') {
      this.#exchange?.readDone()
      if (this.#stash.length > 0) this.pause()
      else if (this.#hasEnded) this.#breakUnfinished()
      else this.#resumeWhereWanted()
      return
    }
    if (this.#hasEnded) {
      // Half a head that will never be whole is answered; silence is not.
      if (this.#scan) this.refuse('malformed')
      else this.close()
      return
    }
    this.#tellBuffers()
    if (this.#endsWhenIdle && this.#isSilent()) this.close()
    else this.#resume()
  }

  /** The client sends no more: what of its request is not here will never come. */
  #breakUnfinished(): void {
    const exchange = this.#exchange
    if (this.#stash.length === 0 && exchange?.hasWholeRequest === false) exchange.requestBroken('malformed')
  }

  #resumeWhereWanted(): void {
    if (this.#state === 'idle' || this.#exchange?.wantsBytes !== false) this.#resume()
  }

  #resume(): void {
    if (!this.#isPaused) return
    this.#isPaused = false
    this.connection.resume()
  }

  #becomeIdle(): void {
    this.#sinceMs = this.#context.time.nowMs
    this.#tellBuffers()
    if (this.#endsWhenIdle && this.#stash.length === 0 && !this.#isReading) this.close()
  }

  #tellBuffers(): void {
    this.#account.set(this.#stash.length + this.connection.queuedBytes)
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
      else if (nowMs - this.#sinceMs >= FRESH_MS) this.#exchange = undefined
      return
    }
    if (nowMs - this.#headMs >= limits.headerTimeoutMs) this.refuse('head-too-slow')
  }
}
