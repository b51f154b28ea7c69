// TLS handshakes, one connection after the other on each of a few lanes (R60-11).
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls'
import { givenLoad, runDriver } from './driver.ts'
import type { WorkReport } from './interleaved.ts'
import { latencyOf } from './latency.ts'

export interface HandshakeLoad {
  readonly port: number
  readonly seconds: number
  /** Connections at once. */
  readonly lanes: number
  /** Whether a request is sent on each connection, and its answer read. */
  readonly asks: boolean
  /** Whether a session is resumed; a handshake that resumes none is a fault then, and one that does otherwise. */
  readonly resumes: boolean
}

/** Runs it on the CPU `core`. */
export function runHandshakes(load: HandshakeLoad, core: number): Promise<WorkReport> {
  return runDriver(import.meta.filename, load, core)
}

const REQUEST = 'GET / HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n'
const PATIENCE_MS = 20_000

class HandshakeLanes {
  readonly #load: HandshakeLoad
  readonly #options: ConnectionOptions
  readonly #times: number[] = []
  #faults = 0
  #isOver = false

  constructor(load: HandshakeLoad, session: Buffer | undefined) {
    this.#load = load
    this.#options = { ...optionsOf(load.port), ...(session && { session }) }
  }

  async run(): Promise<WorkReport> {
    const startMs = performance.now()
    const lanes = Array.from({ length: this.#load.lanes }, () => this.#lane())
    await delay(this.#load.seconds * 1000)
    this.#isOver = true
    await Promise.all(lanes)
    return {
      units: this.#times.length,
      perSecond: (this.#times.length * 1000) / (performance.now() - startMs),
      ...latencyOf(this.#times),
      faults: this.#faults,
    }
  }

  async #lane(): Promise<void> {
    while (!this.#isOver) {
      const startMs = performance.now()
      if (await this.#isGood()) this.#times.push(performance.now() - startMs)
      else this.#faults += 1
    }
  }

  /** One connection from its start to the end of both sides. */
  async #isGood(): Promise<boolean> {
    const socket = connect(this.#options)
    let text = ''
    socket.setTimeout(PATIENCE_MS, () => socket.destroy())
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
    })
    let isReused: boolean | undefined
    socket.on('secureConnect', () => {
      isReused = socket.isSessionReused()
      if (this.#load.asks) socket.write(REQUEST)
      else socket.end()
    })
    await once(socket, 'close')
    return isReused === this.#load.resumes && (!this.#load.asks || text.startsWith('HTTP/1.1 200 '))
  }
}

function optionsOf(port: number): ConnectionOptions {
  const names = { servername: 'shop.example', rejectUnauthorized: false, ALPNProtocols: ['http/1.1'] }
  // One group that all contenders know: not all have those that outlast quantum computers, which cost more (R60-6).
  return { port, host: '127.0.0.1', ecdhCurve: 'X25519', ...names }
}

/** The session of a connection that was used to its end. */
async function sessionOf(port: number): Promise<Buffer> {
  const socket: TLSSocket = connect(optionsOf(port))
  const [session] = (await Promise.race([
    once(socket.on('secureConnect', () => socket.write(REQUEST)).resume(), 'session'),
    // Not to be waited for once there is a session: the driver ends when nothing is left to do.
    delay(PATIENCE_MS, [undefined], { ref: false }),
  ])) as [Buffer | undefined]
  socket.destroy()
  if (!session) throw new Error('the contender gives no session')
  return session
}

async function handshakeAll(load: HandshakeLoad): Promise<WorkReport> {
  const session = load.resumes ? await sessionOf(load.port) : undefined
  return new HandshakeLanes(load, session).run()
}

if (import.meta.main) console.log(JSON.stringify(await handshakeAll(givenLoad() as HandshakeLoad)))
