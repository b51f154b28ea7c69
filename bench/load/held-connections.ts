import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'

export interface HeldConnections {
  /** Of those that were opened, how many the other end has closed. */
  readonly lost: number
  /** Ends them all and waits until they are gone. */
  close(): Promise<void>
}

const AT_ONCE = 50
const NAMES = { servername: 'shop.example', rejectUnauthorized: false }
const REQUEST = 'GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n'

/** Opens so many connections, in TLS where `isSecure`; each has had one request answered and waits for nothing. */
export async function holdConnections(port: number, count: number, isSecure = false): Promise<HeldConnections> {
  const sockets: Socket[] = []
  let lost = 0
  let isClosing = false
  while (sockets.length < count) {
    const batch = Array.from({ length: Math.min(AT_ONCE, count - sockets.length) }, () => open(port, isSecure))
    for (const socket of await Promise.all(batch)) {
      socket.on('close', () => {
        if (!isClosing) lost += 1
      })
      sockets.push(socket)
    }
  }
  return {
    get lost() {
      return lost
    },
    close: async () => {
      isClosing = true
      await Promise.all(
        sockets.map(async (socket) => {
          if (socket.destroyed) return
          socket.destroy()
          await once(socket, 'close')
        }),
      )
    },
  }
}

async function open(port: number, isSecure: boolean): Promise<Socket> {
  const socket = isSecure ? connectSecurely({ port, host: '127.0.0.1', ...NAMES }) : connect(port, '127.0.0.1')
  await once(socket, isSecure ? 'secureConnect' : 'connect')
  // One listener answers for errors for as long as it is held.
  socket.on('error', () => undefined)
  socket.write(REQUEST)
  await once(socket, 'data')
  socket.resume()
  return socket
}
