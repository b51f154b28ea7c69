// Bytes as they are, for what no HTTP client would send.
import { connect } from 'node:net'

const TIMEOUT_MS = 20_000

/** Sends `bytes` (latin1) on a connection of its own, and resolves with all that came until the other side ended. */
export function sendRaw(place: { readonly address: string; readonly port: number }, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(place.port, place.address, () => socket.write(bytes, 'latin1'))
    socket.setEncoding('latin1')
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`no end after ${JSON.stringify(text)}`)))
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.once('error', reject)
    socket.once('end', () => resolve(text))
  })
}
