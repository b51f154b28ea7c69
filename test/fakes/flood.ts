// Bodies without an end in sight: an origin that sends as much as it may, and clients that read less.
import { createServer, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listening } from './listening.ts'

const CHUNK = Buffer.alloc(64 * 1024, 'x')

export interface Flood {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** Bytes of bodies that the kernel or Node took from it. */
  sentBytes(): number
  stop(): void
}

/** An origin that answers every request with a body of `bytes`, as fast as it is taken. */
export async function startFlood(bytes: number): Promise<Flood> {
  let sent = 0
  const server: Server = createServer((_request, response) => {
    response.setHeader('Content-Length', bytes)
    let left = bytes
    const send = (): void => {
      while (left > 0) {
        const chunk = left < CHUNK.length ? CHUNK.subarray(0, left) : CHUNK
        left -= chunk.length
        sent += chunk.length
        if (!response.write(chunk)) return
      }
      response.end()
    }
    response.on('drain', send)
    response.on('error', () => response.destroy())
    send()
  })
  const port = await listening(server)
  return {
    address: `127.0.0.1:${port}`,
    sentBytes: () => sent,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** A client that asks once and reads `bytesPerSecond`; 0: nothing at all. */
export class SlowReader {
  /** Resolves with the bytes of the body that were read, when the connection ended. */
  readonly ended: Promise<number>
  readonly #socket: Socket
  readonly #timer: NodeJS.Timeout
  #readBytes = 0
  #headBytes = 0

  constructor(port: number, { host, bytesPerSecond }: { readonly host: string; readonly bytesPerSecond: number }) {
    this.#socket = connect({ host: '127.0.0.1', port })
    this.#socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)
    this.#socket.on('error', () => this.#socket.destroy())
    // By hand: a socket that flows reads as fast as it can.
    let lastMs = performance.now()
    this.#timer = setInterval(() => {
      const nowMs = performance.now()
      // A timer that comes late has more to read.
      this.#read(Math.ceil((bytesPerSecond * (nowMs - lastMs)) / 1000))
      lastMs = nowMs
    }, TICK_MS)
    this.ended = new Promise((resolve) => {
      this.#socket.on('end', () => this.#socket.destroy())
      this.#socket.on('close', () => {
        clearInterval(this.#timer)
        resolve(this.bodyBytes)
      })
    })
  }

  /** Bytes of the body so far. */
  get bodyBytes(): number {
    return this.#readBytes - this.#headBytes
  }

  stop(): void {
    this.#socket.destroy()
  }

  #read(budget: number): void {
    for (let left = budget; left > 0; ) {
      const chunk: Buffer | null = this.#socket.read(Math.min(left, Math.max(1, this.#socket.readableLength)))
      if (chunk === null) return
      if (this.#headBytes === 0) this.#headBytes = chunk.indexOf('\r\n\r\n') + 4
      this.#readBytes += chunk.length
      left -= chunk.length
    }
  }
}

const TICK_MS = 20
