// An upgrade request until it is answered: what the client sends meanwhile is held (R20-155, R20-156, R70-51).
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { HeaderIndex } from '../../../http/header-list.ts'
import { switchingFields } from '../../../http/response-head.ts'
import { headBytes } from '../../own-answers.ts'
import { Tunnel } from '../../upgrade.ts'
import type { EngineContext } from './context.ts'
import type { UpgradeOffer } from './exchange.ts'

export interface HandshakeEvents {
  /** The refusal is out; `keeps` is false where the connection must end with it. */
  refused(keeps: boolean): void
  opened(tunnel: Tunnel): void
  closed(tunnel: Tunnel): void
}

export class UpgradeHandshake implements UpgradeOffer {
  readonly #context: EngineContext
  readonly #socket: Socket
  readonly #events: HandshakeEvents
  #held: Buffer[] = []
  #heldBytes = 0
  #response: ServerResponse | undefined
  readonly #onData = (chunk: Buffer): void => this.#hold(chunk)
  readonly #onDrain = (): void => {
    this.#response?.emit('drain')
  }

  /** `early`: what was read behind the request. */
  constructor(context: EngineContext, socket: Socket, early: Buffer, events: HandshakeEvents) {
    this.#context = context
    this.#socket = socket
    this.#events = events
    if (early.length > 0) this.#hold(early)
    socket.on('data', this.#onData)
    socket.on('drain', this.#onDrain)
  }

  /** The response for the case that it is refused: node:http made none for an upgrade. */
  responseTo(request: IncomingMessage): ServerResponse {
    const response = new ServerResponse(request)
    response.assignSocket(this.#socket)
    response.on('finish', () => this.#refused(response))
    this.#response = response
    return response
  }

  hasEarlyBytes(): boolean {
    return this.#heldBytes > 0
  }

  accept(answer: IncomingMessage, upstream: Socket, early: Buffer, ended: () => void): void {
    this.#release()
    this.#response?.detachSocket(this.#socket)
    this.#socket.write(headBytes(101, answer.statusMessage ?? '', switchingFields(new HeaderIndex(answer.rawHeaders))))
    const { limits, deps } = this.#context
    const tunnel = new Tunnel(this.#socket, upstream, {
      idleTimeoutMs: limits.tunnelIdleTimeoutMs,
      nowMs: () => deps.clock.monotonicMs(),
      closed: () => {
        this.#events.closed(tunnel)
        ended()
      },
    })
    this.#events.opened(tunnel)
    tunnel.open({ toUpstream: this.#held, toClient: early.length > 0 ? [early] : [] })
    this.#held = []
  }

  #hold(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= this.#context.deps.settings.connectionBufferBytes) this.#socket.pause()
  }

  #refused(response: ServerResponse): void {
    this.#release()
    this.#held = []
    response.detachSocket(this.#socket)
    this.#events.refused(this.#heldBytes === 0 && !this.#closes(response))
  }

  #closes(response: ServerResponse): boolean {
    return !response.shouldKeepAlive || this.#socket.readableEnded
  }

  #release(): void {
    this.#socket.removeListener('data', this.#onData)
    this.#socket.removeListener('drain', this.#onDrain)
    this.#socket.pause()
  }
}
