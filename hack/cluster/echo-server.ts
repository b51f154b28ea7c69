// A pod of the test cluster: an HTTP and WebSocket server on a pod's address that tells what it was asked and who it is.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { POD_PORT, type PodRef } from './objects.ts'
import { echoFrames } from './websocket-echo.ts'

/** What an echo pod answers, as JSON. */
export interface Echo {
  readonly pod: string
  readonly method: string
  /** The address that the connection came from. */
  readonly client: string
  /** The request target as it arrived. */
  readonly target: string
  /** Fields in the order and spelling in which they arrived. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly bodyBytes: number
}

export interface EchoPod extends PodRef {
  /** Requests and upgrades that this pod has seen. */
  readonly requests: number
  /** Whether `/healthz` answers 200; those requests are not counted. True to begin with. */
  isWell: boolean
  /** Ends the listener and all connections, as a killed pod does. */
  stop(): Promise<void>
}

/**
 * Starts an echo server on port 8080 of `address`. A query of `delay=MS` makes an answer wait, so that a test can
 * have requests in flight.
 */
export async function startEchoPod({ name, address }: PodRef): Promise<EchoPod> {
  let requests = 0
  let isWell = true
  const server = createServer((request, response) => {
    if (request.url === '/healthz') {
      response.writeHead(isWell ? 200 : 503).end()
      return
    }
    requests += 1
    answer(name, request, response).catch(() => response.destroy())
  })
  server.on('upgrade', (request, socket, head) => {
    requests += 1
    echoFrames(name, { request, socket, head })
  })
  const tunnels = trackUpgrades(server)
  // The proxy's idle connections must not end by a timer of ours while it sends the next request on one.
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(POD_PORT, address, resolve)
  })
  return {
    name,
    address,
    get requests() {
      return requests
    },
    get isWell() {
      return isWell
    },
    set isWell(value) {
      isWell = value
    },
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      for (const socket of tunnels) socket.destroy()
      await closed
    },
  }
}

/** node:http lets go of a socket that was upgraded; somebody must still end it. */
function trackUpgrades(server: Server): ReadonlySet<Duplex> {
  const sockets = new Set<Duplex>()
  server.on('upgrade', (_request, socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

async function answer(pod: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method = '', url = '', rawHeaders, socket } = request
  const client = socket.remoteAddress ?? ''
  let bodyBytes = 0
  for await (const chunk of request) bodyBytes += (chunk as Buffer).length
  const delay = Number(new URL(url, 'http://echo').searchParams.get('delay') ?? 0)
  if (delay > 0) await sleep(delay)
  const echo: Echo = { pod, method, client, target: url, headers: pairs(rawHeaders), bodyBytes }
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(`${JSON.stringify(echo)}\n`)
}

function pairs(raw: readonly string[]): [string, string][] {
  const found: [string, string][] = []
  for (let index = 0; index < raw.length; index += 2) found.push([raw[index] ?? '', raw[index + 1] ?? ''])
  return found
}
