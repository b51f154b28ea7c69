// A client of HTTP/2 that sends the frames that a test gives it, and nothing else.
import { connect, type Socket } from 'node:net'
import { FRAME, type Frame, PREFACE, readFrames, settings, statusOf } from './h2-frames.ts'

export class RawHttp2Client {
  readonly socket: Socket
  readonly frames: Frame[] = []
  #rest: Buffer = Buffer.alloc(0)
  readonly #waiters = new Set<() => void>()

  constructor(socket: Socket) {
    this.socket = socket
    socket.on('error', () => this.#wake())
    socket.on('close', () => this.#wake())
    socket.on('data', (chunk: Buffer) => {
      const { frames, rest } = readFrames(Buffer.concat([this.#rest, chunk]))
      this.#rest = rest
      this.frames.push(...frames)
      this.#wake()
    })
  }

  /** Connected, with the preface and its SETTINGS sent. */
  static open(port: number): Promise<RawHttp2Client> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port })
      socket.once('error', reject)
      socket.once('connect', () => {
        socket.off('error', reject)
        socket.setNoDelay(true)
        resolve(new RawHttp2Client(socket).send(PREFACE, settings()))
      })
    })
  }

  send(...frames: readonly Buffer[]): this {
    if (this.socket.writable) this.socket.write(Buffer.concat(frames))
    return this
  }

  /** As many bytes as the other side takes, so that a flood is as large here as it is there. */
  async flood(bytes: Buffer): Promise<void> {
    if (this.socket.closed || !this.socket.writable || this.socket.write(bytes)) return
    await new Promise<void>((resolve) => {
      this.socket.once('drain', resolve).once('close', resolve)
    })
  }

  /** The frames of one stream. */
  of(stream: number): readonly Frame[] {
    return this.frames.filter((frame) => frame.stream === stream)
  }

  /** The first status of this stream. */
  status(stream = 1): number | undefined {
    const head = this.of(stream).find(({ type }) => type === FRAME.headers)
    return head && statusOf(head.payload)
  }

  /** The code that the stream was reset with. */
  resetCode(stream = 1): number | undefined {
    return this.of(stream)
      .find(({ type }) => type === FRAME.rstStream)
      ?.payload.readUInt32BE(0)
  }

  /** The code of the last GOAWAY. */
  goawayCode(): number | undefined {
    return this.frames.findLast(({ type }) => type === FRAME.goaway)?.payload.readUInt32BE(4)
  }

  body(stream = 1): string {
    return Buffer.concat(
      this.of(stream)
        .filter(({ type }) => type === FRAME.data)
        .map(({ payload }) => payload),
    ).toString('latin1')
  }

  hasEnded(stream = 1): boolean {
    return this.of(stream).some(({ type, flags }) => type <= FRAME.headers && (flags & 1) === 1)
  }

  get isClosed(): boolean {
    return this.socket.closed
  }

  /** Resolves as soon as it is so, or the connection is gone. */
  when(isSo: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isSo() && !this.socket.closed) return
        this.#waiters.delete(look)
        resolve()
      }
      this.#waiters.add(look)
      look()
    })
  }

  untilClosed(): Promise<void> {
    return this.when(() => this.socket.closed)
  }

  #wake(): void {
    for (const look of this.#waiters) look()
  }
}
