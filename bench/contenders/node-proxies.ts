// What Node's own libraries make of the same job: each runs this file as a process of its own.
import { randomBytes } from 'node:crypto'
import { Agent, createServer, type IncomingMessage } from 'node:http'
import { createProxyServer } from 'http-proxy-3'
import { Pool } from 'undici'
import type { Contender } from './contender.ts'

/** http-proxy-3 with a keep-alive agent. */
export const HTTP_PROXY_3: Contender = nodeProxy('http-proxy-3')

/** `node:http` in front and undici behind. */
export const NODE_UNDICI: Contender = nodeProxy('node:http+undici')

function nodeProxy(name: string): Contender {
  return {
    name,
    version: () => `node ${process.versions.node}`,
    command: ({ upstream, port }) => ({
      program: process.execPath,
      args: [import.meta.filename, '--proxy', name, upstream, String(port)],
    }),
  }
}

function fieldsFor(request: IncomingMessage, port: number): Record<string, string> {
  const peer = request.socket.remoteAddress ?? ''
  return {
    'x-request-id': randomBytes(16).toString('hex'),
    'x-real-ip': peer,
    'x-forwarded-for': peer,
    'x-forwarded-host': request.headers.host ?? '',
    'x-forwarded-port': String(port),
    'x-forwarded-proto': 'http',
    'x-forwarded-scheme': 'http',
    'x-scheme': 'http',
  }
}

function serveHttpProxy(upstream: string, port: number): void {
  const agent = new Agent({ keepAlive: true, maxFreeSockets: 256 })
  const proxy = createProxyServer({ target: `http://${upstream}`, agent })
  proxy.on('proxyReq', (outgoing, request) => {
    for (const [name, value] of Object.entries(fieldsFor(request, port))) outgoing.setHeader(name, value)
  })
  proxy.on('error', () => undefined)
  const server = createServer((request, response) => proxy.web(request, response))
  server.on('upgrade', (request, socket, head) => proxy.ws(request, socket, head))
  listen(server, port)
}

function serveUndici(upstream: string, port: number): void {
  const pool = new Pool(`http://${upstream}`, { connections: 256 })
  const server = createServer((request, response) => {
    const { connection: _connection, ...headers } = request.headers
    const { url: path = '/', method = 'GET' } = request
    const body = method === 'GET' || method === 'HEAD' ? null : request
    const asking = { path, method, headers: { ...headers, ...fieldsFor(request, port) }, body }
    pool
      .stream({ ...asking, opaque: response }, ({ statusCode, headers: given }) => {
        response.writeHead(statusCode, given)
        return response
      })
      .catch(() => void response.destroy())
  })
  listen(server, port)
}

function listen(server: ReturnType<typeof createServer>, port: number): void {
  server.keepAliveTimeout = 3_600_000
  server.requestTimeout = 0
  server.listen(port, '127.0.0.1')
}

if (process.argv[2] === '--proxy') {
  const [, , , name, upstream = '', port = '0'] = process.argv
  if (name === 'http-proxy-3') serveHttpProxy(upstream, Number(port))
  else serveUndici(upstream, Number(port))
}
