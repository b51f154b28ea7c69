// An endpoint of the demo: tells who it is and what it was asked.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'

export interface EchoAddress {
  readonly backend: string
  readonly host: string
  readonly port: number
}

/** Listens on `address` and answers every request with 200 and what arrived, as JSON. */
export async function startEcho(address: EchoAddress): Promise<Server> {
  const server = createServer((request, response) => answer(address, request, response))
  // The proxy's idle connections must not end by a timer of ours while it sends the next request on one.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address.host, port: address.port }, resolve)
  })
  return server
}

function answer({ backend, host, port }: EchoAddress, request: IncomingMessage, response: ServerResponse): void {
  const { method, url, headers } = request
  request.resume()
  const echo = { echo: backend, address: `${host}:${port}`, method, target: url, headers }
  request.once('end', () => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(`${JSON.stringify(echo, undefined, 2)}\n`)
  })
}
