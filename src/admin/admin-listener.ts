// The socket of the admin API.
import type { Server } from 'node:http'

export interface AdminAddress {
  /** `undefined`: every address of both families. */
  readonly host: string | undefined
  readonly port: number
}

/** Begins to listen; rejects with the system's error. */
export async function listen(server: Server, { host, port }: AdminAddress): Promise<void> {
  if (host !== undefined) return await bind(server, host, port)
  try {
    await bind(server, '::', port)
  } catch (error) {
    if (!isFamilyMissing(error)) throw error
    await bind(server, '0.0.0.0', port)
  }
}

/** Where it listens; `undefined`: it does not. */
export function addressOf(server: Server): { readonly host: string; readonly port: number } | undefined {
  const address = server.address()
  return address === null || typeof address === 'string' ? undefined : { host: address.address, port: address.port }
}

/** Ends it, open connections included. */
export function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeAllConnections()
  })
}

function bind(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port }, () => {
      server.off('error', reject)
      resolve()
    })
  })
}

function isFamilyMissing(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  return code === 'EAFNOSUPPORT' || code === 'EADDRNOTAVAIL' || code === 'EINVAL'
}
