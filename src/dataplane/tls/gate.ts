// Reads the ClientHello of a connection before anybody else sees its bytes (R21-1, R21-2, R21-6).
import type { Socket } from 'node:net'
import type { ClientHello, ClientHelloParse } from '../../http/client-hello.ts'
import type { Timers } from '../../lib/timers.ts'
import type { ProcessField } from '../../model/counters.ts'
import type { ConnectionOrigin, WorkerCounters } from '../engine.ts'
import { HelloBytes } from './hello-bytes.ts'
import { type LastBytesLimits, sendLastBytes } from './last-bytes.ts'

/** A client that has said what it wants: its socket is paused. */
export interface Greeting {
  readonly socket: Socket
  readonly origin: ConnectionOrigin
  readonly hello: ClientHello
  /** All that was read: the ClientHello, and what may stand behind it. */
  readonly bytes: Buffer
}

export interface TlsGateDeps {
  readonly counters: Pick<WorkerCounters, 'addProcess'>
  readonly timers: Timers
  /** For the whole ClientHello (R20-75). */
  readonly timeoutMs: number
  readonly limits: LastBytesLimits
  readonly greeted: (greeting: Greeting) => void
  /** What somebody gets who speaks no TLS. */
  readonly plaintextAnswer: () => Buffer
}

export class TlsGate {
  readonly #deps: TlsGateDeps

  constructor(deps: TlsGateDeps) {
    this.#deps = deps
  }

  /** Takes a connection of which nothing is read but a PROXY header. */
  pass(socket: Socket, origin: ConnectionOrigin): void {
    // Before anything else: an error without a listener would end the process (R70-70). `close` tells the rest.
    socket.on('error', () => undefined)
    const { timers, timeoutMs } = this.#deps
    const held = new HelloBytes()
    const end = (field: ProcessField | undefined): void => {
      stop()
      this.#close(socket, field)
    }
    const cancel = timers.after(timeoutMs, () => end('tlsTimeout'))
    // Who only looks whether the port is open has begun no handshake.
    const gone = (): void => end(held.length > 0 ? 'tlsReset' : undefined)
    const read = (chunk: Buffer): void => {
      const parsed = held.append(chunk)
      if (parsed.kind === 'need-more') return
      stop()
      socket.pause()
      this.#judge(parsed, { socket, origin, bytes: held.bytes })
    }
    const stop = (): void => {
      cancel()
      socket.off('data', read).off('end', gone).off('close', gone)
    }
    socket.on('data', read).on('end', gone).on('close', gone)
  }

  #judge(parsed: Exclude<ClientHelloParse, { kind: 'need-more' }>, read: Omit<Greeting, 'hello'>): void {
    switch (parsed.kind) {
      case 'done':
        this.#deps.greeted({ ...read, hello: parsed.hello })
        return
      case 'invalid':
        this.#close(read.socket, 'tlsProtocol')
        return
      case 'not-tls':
        this.#deps.counters.addProcess('tlsNotTls', 1)
        sendLastBytes(read.socket, this.#deps.plaintextAnswer(), this.#deps.limits, this.#deps.timers)
        return
    }
  }

  #close(socket: Socket, field: ProcessField | undefined): void {
    if (field) this.#deps.counters.addProcess(field, 1)
    socket.destroy()
  }
}
