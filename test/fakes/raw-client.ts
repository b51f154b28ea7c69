import { connect } from 'node:net'
import { RecordedSocket } from './recorded-socket.ts'

/** A client that writes the bytes that a test gives it, and nothing else. It does not end its side by itself. */
export function openClient(port: number): Promise<RecordedSocket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, allowHalfOpen: true })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.removeListener('error', reject)
      resolve(new RecordedSocket(socket))
    })
  })
}
