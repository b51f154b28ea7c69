// A client of HTTP/2 that sends the frames that a test gives it, and nothing else.
import { connect } from 'node:net'
import { RawHttp2End } from './h2-end.ts'
import { FRAME, PREFACE, settings, statusOf } from './h2-frames.ts'

export class RawHttp2Client extends RawHttp2End {
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

  /** As many bytes as the other side takes, so that a flood is as large here as it is there. */
  async flood(bytes: Buffer): Promise<void> {
    if (this.socket.closed || !this.socket.writable || this.socket.write(bytes)) return
    await new Promise<void>((resolve) => {
      this.socket.once('drain', resolve).once('close', resolve)
    })
  }

  /** The first status of this stream. */
  status(stream = 1): number | undefined {
    const head = this.of(stream).find(({ type }) => type === FRAME.headers)
    return head && statusOf(head.payload)
  }
}
