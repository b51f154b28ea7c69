// The upstream of the gate before a benchmark: it answers as that of the benchmark, and tells what it was asked.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createServer as createHttp2Server, type ServerHttp2Stream } from 'node:http2'
import type { Server } from 'node:net'
import type { Job } from '../contenders/front.ts'
import { GRPC_MESSAGE } from '../contenders/grpc-message.ts'
import { ANSWER } from '../contenders/nginx.ts'

export interface AlikeOrigin {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** The fields of the last request, by name; `host` is the authority where HTTP/2 asked. */
  lastFields(): ReadonlyMap<string, string>
  stop(): void
}

/** What it answers with, as latin1. */
export function answerOf(job: Job): string {
  return job === 'grpc' ? GRPC_MESSAGE.toString('latin1') : `${ANSWER}\n`
}

export async function startAlikeOrigin(job: Job): Promise<AlikeOrigin> {
  let last = new Map<string, string>()
  const seen = (fields: Readonly<Record<string, unknown>>): void => {
    last = new Map(
      Object.entries(fields).map(([name, value]) => [name === ':authority' ? 'host' : name, String(value)]),
    )
  }
  const { server, stop } = job === 'grpc' ? callServer(seen) : requestServer(seen)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return { address: `127.0.0.1:${port}`, lastFields: () => last, stop }
}

type Seen = (fields: Readonly<Record<string, unknown>>) => void
interface Started {
  readonly server: Server
  readonly stop: () => void
}

function requestServer(seen: Seen): Started {
  const server = createServer((request, response) => {
    seen(request.headers)
    response.setHeader('Content-Type', 'text/plain')
    response.end(answerOf('request'))
  })
  const stop = (): void => {
    server.closeAllConnections()
    server.close()
  }
  return { server, stop }
}

function callServer(seen: Seen): Started {
  const server = createHttp2Server()
  const sessions = new Set<{ destroy(): void }>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('error', () => undefined)
  })
  server.on('stream', (stream: ServerHttp2Stream, fields) => {
    seen(fields)
    stream.on('error', () => undefined)
    stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
    stream.end(GRPC_MESSAGE)
  })
  const stop = (): void => {
    for (const session of sessions) session.destroy()
    server.close()
  }
  return { server, stop }
}
