// An endpoint of the demo: tells who it is and what it was asked.
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createHttp2Server, type Http2ServerRequest } from 'node:http2'

export interface EchoAddress {
  readonly backend: string
  /** HTTP/2 by prior knowledge; else HTTP/1.1. */
  readonly isHttp2: boolean
  readonly host: string
  readonly port: number
}

/** An endpoint that listens. Its connections end with those who made them. */
export interface Echo {
  close(): void
}

/** Listens on `address` and answers every request with 200 and what arrived, as JSON. */
export async function startEcho(address: EchoAddress): Promise<Echo> {
  const server = address.isHttp2
    ? createHttp2Server((request, response) => answer(address, request, response))
    : http1Server(address)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address.host, port: address.port }, resolve)
  })
  return { close: () => server.close() }
}

function http1Server(address: EchoAddress): Server {
  const server = createServer((request, response) => answer(address, request, response))
  // The proxy's idle connections must not end by a timer of ours while it sends the next request on one.
  server.keepAliveTimeout = 0
  return server
}

type Request = IncomingMessage | Http2ServerRequest

/** What the responses of both servers have in common. */
interface Response {
  setHeader(name: string, value: string): unknown
  end(text: string): unknown
}

function answer({ backend, host, port }: EchoAddress, request: Request, response: Response): void {
  const { method, url, headers } = request
  request.resume()
  const echo = { echo: backend, address: `${host}:${port}`, method, target: url, headers }
  request.once('end', () => {
    response.setHeader('content-type', 'application/json')
    response.end(`${JSON.stringify(echo, undefined, 2)}\n`)
  })
}
