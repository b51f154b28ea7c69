// The upstream of tunnels: switches protocols and gives back every byte, as a process of its own.
import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import { freePort } from '../../hack/cluster/free-port.ts'
import { newFolder, startProgram } from '../contenders/start.ts'
import type { Upstream } from './upstream.ts'

/** Starts it; a request that asks for no upgrade is answered 200. */
export async function startEchoOrigin(core: number): Promise<Upstream> {
  const folder = newFolder()
  const port = await freePort()
  const command = { program: process.execPath, args: [import.meta.filename, '--serve', String(port)] }
  const { stop } = await startProgram('echo', command, { folder, port, core })
  return { address: `127.0.0.1:${port}`, stop }
}

function serve(port: number): void {
  const server = createServer((_request, response) => void response.end('ok\n'))
  server.on('upgrade', (request, socket, early) => {
    socket.on('error', () => undefined)
    const accept = acceptOf(request.headers['sec-websocket-key'] ?? '')
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${accept}\r\n\r\n`)
    if (early.length > 0) socket.write(early)
    socket.on('data', (bytes) => socket.write(bytes))
    socket.on('end', () => socket.end())
  })
  server.keepAliveTimeout = 3_600_000
  server.listen(port, '127.0.0.1')
}

// RFC 6455, section 4.2.2; some proxies look at it.
function acceptOf(key: string): string {
  const proof = createHash('sha1').update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest('base64')
  return `Sec-WebSocket-Accept: ${proof}`
}

if (process.argv[2] === '--serve') serve(Number(process.argv[3]))
