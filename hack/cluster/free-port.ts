import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

// The kernel gives ports from 32768 on to whoever asks for any and to connections that go out
// (net.ipv4.ip_local_port_range). Below, nothing takes one by chance before it is used, which a program that starts may
// do seconds later. NodePorts begin at 30000.
const FIRST = 16_384
const COUNT = 13_000
const TRIES = 100

/** A port of the loopback address that nobody has. */
export async function freePort(): Promise<number> {
  const [port = 0] = await freePorts(1)
  return port
}

/** So many of them; all are held until the last is found, so that none is given twice. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const held: { readonly port: number; readonly server: Server }[] = []
  try {
    for (let tries = 0; held.length < count; tries += 1) {
      const port = FIRST + Math.floor(Math.random() * COUNT)
      const server = await listener(port)
      if (server) held.push({ port, server })
      else if (tries > count + TRIES) throw new Error('no port is free')
    }
  } finally {
    await Promise.all(held.map(({ server }) => new Promise((resolve) => server.close(resolve))))
  }
  return held.map(({ port }) => port)
}

/** What listens there now; `undefined` where somebody else does. */
async function listener(port: number): Promise<Server | undefined> {
  const server = createServer()
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening')
    return server
  } catch {
    return undefined
  }
}
