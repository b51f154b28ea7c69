// The admin listener: probes, metrics and what this replica serves (R32). It is handed functions and owns no state.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { AdminFailures } from './admin-failures.ts'
import { type AdminAddress, addressOf, close, listen } from './admin-listener.ts'
import { type AdminMethod, type AdminPath, allowedMethods, faultInQuery, type Handled, methodOf } from './admin-path.ts'
import { type Answer, problem } from './answer.ts'
import { currentEvents } from './current-events.ts'
import { EventStreams } from './event-streams.ts'
import { Guard, type GuardSettings } from './guard.ts'
import { type AdminSources, adminPaths } from './paths.ts'
import { isRelayed, Relay } from './relay.ts'
import { turnAllReplicas } from './replicas.ts'
import { MAX_BODY_BYTES, readBody } from './request-body.ts'

export interface AdminServer {
  /** Begins to listen; rejects with the system's error, or `AdminTokenError`. */
  listen(address: AdminAddress): Promise<void>
  /** Where it listens; `undefined`: it does not. */
  address(): { readonly host: string; readonly port: number } | undefined
  /** Something may have changed of what `/admin/events` tells: looks, and tells whoever listens. */
  changed(): void
  /** Requests that were refused, or cut while they were relayed, by reason. */
  failures(): Readonly<Record<string, number>>
  /** Ends it, open connections included. */
  close(): Promise<void>
}

export interface AdminServerDeps {
  readonly guard: GuardSettings
  readonly timers: Timers
  readonly log: Logger
  /** In which another replica must have answered (R30-19). */
  readonly peerMs: number
}

const MAX_CONNECTIONS = 256
/** In which a client must have taken an answer. Its connection is one of few, and a probe may need it. */
const SEND_MS = 30_000

/** The admin listener over `sources`, not listening yet. */
export function createAdminServer(sources: AdminSources, deps: AdminServerDeps): AdminServer {
  return new HttpAdminServer(sources, deps)
}

class HttpAdminServer implements AdminServer {
  readonly #deps: AdminServerDeps
  readonly #guard: Guard
  readonly #failures = new AdminFailures()
  readonly #events: EventStreams
  readonly #relay: Relay
  readonly #paths: ReadonlyMap<string, AdminPath>
  /** What is asked for by a path that begins with `/admin/replicas/`. */
  readonly #relayed: AdminPath
  readonly #server: Server

  constructor(sources: AdminSources, deps: AdminServerDeps) {
    const { guard, timers, peerMs } = deps
    const { token } = guard
    const { replicas } = sources
    this.#deps = deps
    this.#guard = new Guard(guard)
    this.#events = new EventStreams({ timers, failures: this.#failures, current: () => currentEvents(sources) })
    this.#relay = new Relay({ replicas, token, timers, failures: this.#failures, send: this.#send })
    const turnAll =
      token &&
      ((turn: Parameters<typeof turnAllReplicas>[0]) => turnAllReplicas(turn, { replicas, token, timers, peerMs }))
    this.#paths = new Map<string, AdminPath>([
      ...adminPaths(sources, { turnAll }),
      [
        '/admin/events',
        { query: [], methods: { GET: ({ incoming, response }) => this.#events.open(incoming, response) } },
      ],
    ])
    this.#relayed = {
      query: undefined,
      methods: { GET: ({ incoming, response }) => this.#relay.handle(incoming, response) },
    }
    this.#server = this.#createServer()
  }

  async listen(address: AdminAddress): Promise<void> {
    await this.#deps.guard.token?.load()
    await listen(this.#server, address)
  }

  address(): { readonly host: string; readonly port: number } | undefined {
    return addressOf(this.#server)
  }

  changed(): void {
    if (this.#events.size > 0) this.#events.look()
  }

  failures(): Readonly<Record<string, number>> {
    return this.#failures.counts()
  }

  async close(): Promise<void> {
    this.#events.close()
    await close(this.#server)
  }

  readonly #send = (response: ServerResponse, request: IncomingMessage, answer: Answer): void => {
    if (response.destroyed) return
    response.once(
      'close',
      this.#deps.timers.after(SEND_MS, () => response.destroy()),
    )
    send(response, request, answer)
  }

  #createServer(): Server {
    const server = createServer({ maxHeaderSize: 16_384, connectionsCheckingInterval: 1000 }, (request, response) => {
      // A client that goes away while it is answered is nobody's fault.
      request.on('error', () => undefined)
      response.on('error', () => undefined)
      void this.#handle(request, response).then((handled) => {
        if (handled !== 'taken') this.#send(response, request, handled)
        return undefined
      })
    })
    // None of node's defaults is relied on (R70-130).
    server.headersTimeout = 10_000
    server.requestTimeout = 30_000
    server.keepAliveTimeout = 75_000
    server.maxConnections = MAX_CONNECTIONS
    // Idle ones must not keep a probe out for as long as they may stay.
    server.on('drop', () => server.closeIdleConnections())
    return server
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<Handled> {
    const url = URL.parse(request.url ?? '', 'http://admin')
    if (url === null) return problem(400, 'the request target is no URL')
    const path = isRelayed(url.pathname) ? this.#relayed : this.#paths.get(url.pathname)
    if (path === undefined) return problem(404, 'no such path', { paths: [...this.#paths.keys()] })
    const method = methodOf(path, request.method)
    if (method === undefined) return notAllowed(url.pathname, path)
    try {
      const access = path.isProbe === true ? 'probe' : accessOf(method)
      const refusal = await this.#guard.refusal(request, access)
      return refusal ?? (await this.#answer(path, method, { query: url.searchParams, incoming: request, response }))
    } catch (error) {
      // Whoever broke off while it sent its body waits for no answer.
      if (request.destroyed && !request.complete) return 'taken'
      this.#deps.log.error({ err: error, path: url.pathname }, 'admin request failed')
      return response.headersSent ? 'taken' : problem(500, 'see the log')
    }
  }

  async #answer(
    path: AdminPath,
    method: AdminMethod,
    asked: { readonly query: URLSearchParams; readonly incoming: IncomingMessage; readonly response: ServerResponse },
  ): Promise<Handled> {
    const fault = faultInQuery(path, asked.query)
    if (fault !== undefined) return problem(400, fault)
    const body = method === 'GET' ? '' : await readBody(asked.incoming)
    if (body === undefined) return problem(413, `a body has at most ${MAX_BODY_BYTES} bytes`)
    return (await path.methods[method]?.({ ...asked, body })) ?? notAllowed(asked.incoming.url ?? '', path)
  }
}

function accessOf(method: AdminMethod): 'read' | 'write' {
  return method === 'GET' ? 'read' : 'write'
}

function notAllowed(pathname: string, path: AdminPath): Answer {
  const allowed = allowedMethods(path)
  return { ...problem(405, `${pathname} takes ${allowed}`), headers: { Allow: allowed } }
}

function send(
  response: ServerResponse,
  request: IncomingMessage,
  { status, contentType, body, headers }: Answer,
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    // What was not read of a body would be read as the next request.
    ...(request.complete ? {} : { Connection: 'close' }),
    ...headers,
  })
  response.end(request.method === 'HEAD' ? undefined : body)
}
