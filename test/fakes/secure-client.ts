import { connect } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { RecordedSocket } from './recorded-socket.ts'

/** As `openClient`, by TLS: the handshake is done, and what is written and read is what stands in it. */
export function openSecureClient(port: number, servername: string): Promise<RecordedSocket> {
  return new Promise((resolve, reject) => {
    const wire = connect({ host: '127.0.0.1', port, allowHalfOpen: true, noDelay: true })
    const socket = connectTls({ socket: wire, servername, rejectUnauthorized: false, ecdhCurve: 'X25519' })
    wire.once('error', reject)
    socket.once('error', reject)
    socket.once('secureConnect', () => {
      socket.removeListener('error', reject)
      resolve(new SecureRecordedSocket(socket, () => wire.resetAndDestroy()))
    })
  })
}

/** One end of a connection by TLS, of which `reset` resets what is below. */
export class SecureRecordedSocket extends RecordedSocket {
  readonly #reset: () => void

  constructor(socket: RecordedSocket['socket'], reset: () => void) {
    super(socket)
    this.#reset = reset
  }

  /** Of the connection below: to TLS itself it is nothing. */
  override reset(): void {
    this.#reset()
  }
}
