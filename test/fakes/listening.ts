import type { Server } from 'node:net'

/** Listens on a free port of 127.0.0.1 and gives the port. */
export function listening(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address()
      if (address !== null && typeof address === 'object') resolve(address.port)
      else reject(new Error('the server has no port'))
    })
  })
}
