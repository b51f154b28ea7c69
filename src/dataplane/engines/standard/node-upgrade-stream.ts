// Node wraps the socket of an upgrade request whose body it is still parsing. To us that is a plain request (R20-157):
// when it is answered, the wrapper is taken off again and the bytes in it go back to where they came from.
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'

export class NodeUpgradeStream {
  readonly #stream: Duplex
  readonly #socket: Socket
  /** Takes off what the wrapper has put on the socket when it was made. */
  readonly #unwire: () => void

  /** Must be made in the very step in which Node hands the wrapper out: it has added its listeners last. */
  constructor(stream: Duplex, socket: Socket) {
    this.#stream = stream
    this.#socket = socket
    const onError = socket.listeners('error').at(-1)
    const onClose = socket.listeners('close').at(-1)
    const onEnd = socket.listeners('end').at(-1)
    this.#unwire = () => {
      if (onError) socket.removeListener('error', onError)
      if (onClose) socket.removeListener('close', onClose)
      if (onEnd) socket.removeListener('end', onEnd)
    }
    stream.on('error', () => undefined)
  }

  /** Takes the wrapper off and gives what it had read behind the body. */
  takeBack(): readonly Buffer[] {
    this.#unwire()
    this.#socket.removeAllListeners('data')
    const rest: unknown = this.#stream.read()
    this.#socket.pause()
    return Buffer.isBuffer(rest) ? [rest] : []
  }
}
