// One end of an HTTP/2 connection that sends the frames that a test gives it, and nothing else.
import type { Socket } from 'node:net'
import { FRAME, type Frame, readFrames } from './h2-frames.ts'

export class RawHttp2End {
  readonly socket: Socket
  readonly frames: Frame[] = []
  /** Told of each frame as it comes. */
  came: (frame: Frame) => void = () => undefined
  /** Bytes before the first frame that did not come yet. */
  #before: number
  #rest: Buffer = Buffer.alloc(0)
  readonly #waiters = new Set<() => void>()

  /** `before`: bytes that the other end sends before its first frame, a preface for one. */
  constructor(socket: Socket, before = 0) {
    this.socket = socket
    this.#before = before
    socket.on('error', () => this.#wake())
    socket.on('close', () => this.#wake())
    socket.on('data', (chunk: Buffer) => this.#take(chunk))
  }

  send(...frames: readonly Buffer[]): this {
    if (this.socket.writable) this.socket.write(Buffer.concat(frames))
    return this
  }

  /** The frames of one stream. */
  of(stream: number): readonly Frame[] {
    return this.frames.filter((frame) => frame.stream === stream)
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

  #take(chunk: Buffer): void {
    const skipped = Math.min(this.#before, chunk.length)
    this.#before -= skipped
    const { frames, rest } = readFrames(Buffer.concat([this.#rest, chunk.subarray(skipped)]))
    this.#rest = rest
    for (const frame of frames) {
      this.frames.push(frame)
      this.came(frame)
    }
    this.#wake()
  }

  #wake(): void {
    for (const look of this.#waiters) look()
  }
}
