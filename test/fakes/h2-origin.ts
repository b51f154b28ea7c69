// An origin of HTTP/2 that sends the frames that a test gives it, and nothing else.
import { createServer, type Server } from 'node:net'
import { RawHttp2End } from './h2-end.ts'
import { ACK, FRAME, PREFACE, settings } from './h2-frames.ts'
import { listening } from './listening.ts'

/** Answers the stream whose head came. */
export type FramesHandler = (end: RawHttp2End, stream: number) => void

export class RawHttp2Origin {
  readonly address: string
  /** Every connection so far. */
  readonly ends: readonly RawHttp2End[]
  readonly #server: Server

  private constructor(server: Server, port: number, ends: readonly RawHttp2End[]) {
    this.#server = server
    this.address = `127.0.0.1:${port}`
    this.ends = ends
  }

  static async start(handler: FramesHandler): Promise<RawHttp2Origin> {
    const ends: RawHttp2End[] = []
    const server = createServer((socket) => {
      const end = new RawHttp2End(socket, PREFACE.length)
      end.came = ({ type, flags, stream }) => {
        if (type === FRAME.settings && flags !== ACK) end.send(settings([], ACK))
        else if (type === FRAME.headers) handler(end, stream)
      }
      ends.push(end.send(settings()))
    })
    return new RawHttp2Origin(server, await listening(server), ends)
  }

  stop(): void {
    this.#server.close()
    for (const { socket } of this.ends) socket.destroy()
  }
}
