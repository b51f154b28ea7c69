// The upstream of `body`: gives bodies of any size and swallows what is sent, as a process of its own.
import { createServer, type ServerResponse } from 'node:http'
import { freePort } from '../../hack/cluster/free-port.ts'
import { newFolder, startProgram } from '../contenders/start.ts'
import type { Upstream } from './upstream.ts'

const PIECE = Buffer.alloc(64 * 1024, 'x')

/** `/down/BYTES` answers with a length, `/chunked/BYTES` in chunks, anything else takes the body and answers 204. */
export async function startBodyOrigin(core: number): Promise<Upstream> {
  const folder = newFolder()
  const port = await freePort()
  const command = { program: process.execPath, args: [import.meta.filename, '--serve', String(port)] }
  const { stop } = await startProgram('origin', command, { folder, port, core })
  return { address: `127.0.0.1:${port}`, stop }
}

function serve(port: number): void {
  const server = createServer((request, response) => {
    const [, kind = '', bytes = '0'] = request.url?.split('/') ?? []
    request.resume()
    if (kind === 'down') response.setHeader('Content-Length', bytes)
    if (kind === 'down' || kind === 'chunked') give(response, Number(bytes))
    else request.on('end', () => response.writeHead(204).end())
  })
  server.keepAliveTimeout = 3_600_000
  server.listen(port, '127.0.0.1')
}

function give(response: ServerResponse, bytes: number): void {
  let left = bytes
  const more = (): void => {
    while (left > 0) {
      const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE
      left -= piece.length
      if (!response.write(piece)) return
    }
    response.off('drain', more)
    response.end()
  }
  response.on('drain', more)
  more()
}

if (process.argv[2] === '--serve') serve(Number(process.argv[3]))
