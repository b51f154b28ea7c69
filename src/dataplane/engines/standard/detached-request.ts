// A request that asks for an upgrade. Node's parser leaves the socket with it and makes no response for it, so what
// node:http does around every other request is done here: until a tunnel stands, or until the parser may come back.
import { type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { connectionTokens } from '../../../http/connection-fields.ts'
import { HeaderIndex } from '../../../http/header-list.ts'
import { switchingFields } from '../../../http/response-head.ts'
import { headBytes } from '../../own-answers.ts'
import { Tunnel } from '../../upgrade.ts'
import type { EngineContext } from './context.ts'
import type { TunnelUse, UpgradeOffer } from './exchange-host.ts'
import { NodeUpgradeStream } from './node-upgrade-stream.ts'

/** What node:http hands over with an `upgrade`. */
export interface DetachedMessage {
  readonly request: IncomingMessage
  readonly socket: Socket
  /** The socket itself, or Node's wrapper of it while a body is still to be parsed. */
  readonly stream: Duplex
  /** What was read behind the request. */
  readonly early: Buffer
  /** False: a plain request in spite of its `Upgrade` (R20-157). */
  readonly upgrades: boolean
}

export interface DetachedEvents {
  /** The response is out and the connection goes on: what was read behind the request is the next one. */
  answered(): void
  opened(tunnel: Tunnel): void
  closed(tunnel: Tunnel): void
}

export class DetachedRequest implements UpgradeOffer {
  readonly response: ServerResponse
  readonly #context: EngineContext
  readonly #message: DetachedMessage
  readonly #events: DetachedEvents
  readonly #wrapper: NodeUpgradeStream | undefined
  #held: Buffer[] = []
  #heldBytes = 0
  readonly #onData = (chunk: Buffer): void => this.#hold(chunk)

  constructor(context: EngineContext, message: DetachedMessage, events: DetachedEvents) {
    const { request, socket, stream, early } = message
    this.#context = context
    this.#message = message
    this.#events = events
    this.#wrapper = stream === socket ? undefined : new NodeUpgradeStream(stream, socket)
    this.response = new ServerResponse(request)
    // A response that Node does not make itself knows nothing of what an HTTP/1.0 client asked for.
    const options = connectionTokens(new HeaderIndex(request.rawHeaders))
    if (options.has('close')) this.response.shouldKeepAlive = false
    else if (options.has('keep-alive')) this.response.shouldKeepAlive = true
    if (early.length > 0) this.#hold(early)
  }

  /** Its turn has come: earlier responses are out. */
  begin(): void {
    const { socket, upgrades } = this.#message
    this.response.assignSocket(socket)
    if (!upgrades) return
    socket.on('data', this.#onData)
    socket.resume()
  }

  /** The exchange is over, no tunnel came of it, and the connection goes on. */
  end(): void {
    const { socket } = this.#message
    this.#release()
    this.response.detachSocket(socket)
    for (const chunk of [...this.#held, ...(this.#wrapper?.takeBack() ?? [])].toReversed()) socket.unshift(chunk)
    this.#held = []
    this.#events.answered()
  }

  get heldBytes(): number {
    return this.#heldBytes
  }

  accept(answer: IncomingMessage, upstream: Socket, early: Buffer, use: TunnelUse): void {
    const { socket } = this.#message
    this.#release()
    this.response.detachSocket(socket)
    socket.write(headBytes(101, answer.statusMessage ?? '', switchingFields(new HeaderIndex(answer.rawHeaders))))
    const { deps } = this.#context
    const tunnel = new Tunnel(socket, upstream, {
      idleTimeoutMs: use.idleTimeoutMs,
      nowMs: () => deps.clock.monotonicMs(),
      closed: () => {
        this.#events.closed(tunnel)
        use.ended()
      },
    })
    this.#events.opened(tunnel)
    tunnel.open({ toUpstream: this.#held, toClient: early.length > 0 ? [early] : [] })
    this.#held = []
  }

  #hold(chunk: Buffer): void {
    this.#held.push(chunk)
    this.#heldBytes += chunk.length
    if (this.#heldBytes >= this.#context.deps.settings.connectionBufferBytes) this.#message.socket.pause()
  }

  #release(): void {
    const { socket } = this.#message
    socket.removeListener('data', this.#onData)
    socket.pause()
  }
}
