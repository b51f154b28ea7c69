// Stands between the product and an API server, TLS on both sides (R90-37): forwards real answers, and invents nothing
// but the fault.
import { readFileSync } from 'node:fs'
import { type IncomingMessage, type RequestOptions, type ServerResponse, STATUS_CODES } from 'node:http'
import { Agent, createServer, request as requestOver, type Server } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster } from '../../hack/cluster/start.ts'

/** One request of the product, and what it was answered. */
export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  /** When it came (`performance.now()`). */
  readonly atMs: number
  readonly authorization: string
  /** Of the answer, once its head went back; 0 before that and where there was none. */
  status: number
  /** Lines of a watch that went back. */
  lines: number
  /** Until the product has the whole answer, or has closed the connection. */
  isOpen: boolean
}

/** One line of a watch, as far as faults look at it. */
export interface WatchLine {
  readonly type: string
  readonly object: { readonly metadata?: { readonly name?: string } }
}

export type Fault =
  /** Answered by the proxy itself, with a `Status` as the API server writes it. */
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfter?: string }
  /** The connection is closed instead of an answer. */
  | { readonly kind: 'cut' }
  /** Handed on only after so long. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** Handed on only when the fault is lifted: holds one page of a list. */
  | { readonly kind: 'hold' }
  /** No byte of a body goes back any more until the fault is lifted, and nothing is closed. */
  | { readonly kind: 'pause' }
  /** Lines of a watch that are lost on the way. */
  | { readonly kind: 'drop'; readonly lines: (line: WatchLine) => boolean }

export type Matches = (request: SeenRequest) => boolean

/** A fault in force. */
export interface Injected {
  /** Requests or lines that met it. */
  readonly hits: number
  /** Ends it; what it held goes on. */
  lift(): void
}

class Injection implements Injected {
  readonly matches: Matches
  readonly fault: Fault
  readonly lifted: Promise<void>
  hits = 0
  readonly #end: () => void

  constructor(matches: Matches, fault: Fault, forget: (injection: Injection) => void) {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.matches = matches
    this.fault = fault
    this.lifted = promise
    this.#end = () => {
      forget(this)
      resolve()
    }
  }

  lift(): void {
    this.#end()
  }
}

export class FaultProxy {
  /** All requests, oldest first. */
  readonly requests: SeenRequest[] = []
  readonly #server: Server
  readonly #agent: Agent
  readonly #sockets = new Set<Socket>()
  readonly #live = new Map<SeenRequest, Socket>()
  readonly #injections = new Set<Injection>()
  #port = 0
  #origin: URL

  /** Starts one before the cluster's first API server. */
  static async start(cluster: Cluster): Promise<FaultProxy> {
    const proxy = new FaultProxy(cluster)
    await proxy.comeBack()
    return proxy
  }

  private constructor({ certificates, url }: Cluster) {
    const pem = (name: string): Buffer => readFileSync(join(certificates, name))
    this.#origin = new URL(url)
    this.#agent = new Agent({ keepAlive: true, ca: pem('server-ca.crt') })
    this.#server = createServer({ cert: pem('server.crt'), key: pem('server.key') }, (request, response) => {
      void this.#serve(request, response)
    })
    // TCP and TLS sockets alike: whoever is still shaking hands is cut as well.
    for (const event of ['connection', 'secureConnection']) this.#server.on(event, (socket) => this.#track(socket))
  }

  /** As a client has it for `--kube-apiserver`. */
  get url(): string {
    return `https://127.0.0.1:${this.#port}`
  }

  /** Requests that come from now on go to this API server. */
  forwardTo(url: string): void {
    this.#origin = new URL(url)
  }

  /** The requests that match. */
  seen(matches: Matches): readonly SeenRequest[] {
    return this.requests.filter(matches)
  }

  inject(matches: Matches, fault: Fault): Injected {
    const injection = new Injection(matches, fault, (ended) => this.#injections.delete(ended))
    this.#injections.add(injection)
    return injection
  }

  /** Lifts every fault. */
  heal(): void {
    for (const injection of this.#injections) injection.lift()
  }

  /** Closes the connections that carry a request which matches; without an argument, all of them. */
  cut(matches?: Matches): void {
    if (!matches) for (const socket of this.#sockets) socket.destroy()
    else for (const [request, socket] of this.#live) if (matches(request)) socket.destroy()
  }

  /** Nobody listens any more, as where an API server is gone: connections break, new ones are refused. */
  async goAway(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    this.cut()
    await closed
  }

  /** Listens again, on the port of before. */
  async comeBack(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(this.#port, '127.0.0.1', resolve))
    this.#port = (this.#server.address() as AddressInfo).port
  }

  async stop(): Promise<void> {
    this.heal()
    await this.goAway()
    this.#agent.destroy()
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => this.#sockets.delete(socket))
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = seenRequest(request)
    this.requests.push(seen)
    response.on('error', () => request.socket.destroy())
    response.once('close', () => {
      this.#live.delete(seen)
      seen.isOpen = false
    })
    this.#live.set(seen, request.socket)
    try {
      if (await this.#meetFaults(seen, request, response)) await this.#forward(seen, request, response)
    } catch {
      // Either side broke off: so does the other one.
      request.socket.destroy()
    }
  }

  /** Whether the request is to be handed on. */
  async #meetFaults(seen: SeenRequest, { socket }: IncomingMessage, response: ServerResponse): Promise<boolean> {
    for (const injection of this.#matching(seen)) {
      const { fault, lifted } = injection
      if (fault.kind === 'pause' || fault.kind === 'drop') continue
      injection.hits += 1
      switch (fault.kind) {
        case 'answer':
          seen.status = fault.status
          answerStatus(response, fault)
          return false
        case 'cut':
          socket.destroy()
          return false
        case 'delay':
          await sleep(fault.ms)
          break
        case 'hold':
          await lifted
      }
    }
    return !socket.destroyed
  }

  async #forward(seen: SeenRequest, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const answer = await this.#ask(request, response)
    seen.status = answer.statusCode ?? 0
    response.writeHead(seen.status, answer.headers)
    response.flushHeaders()
    if (seen.query.has('watch')) await this.#relayLines(seen, answer, response)
    else for await (const chunk of answer) await this.#write(seen, response, chunk as Buffer)
    await this.#write(seen, response, '')
    response.end()
  }

  #ask(request: IncomingMessage, response: ServerResponse): Promise<IncomingMessage> {
    const { hostname, port } = this.#origin
    const options: RequestOptions = { hostname, port, path: request.url, method: request.method, agent: this.#agent }
    return new Promise((resolve, reject) => {
      const outgoing = requestOver({ ...options, headers: request.headers }, resolve)
      outgoing.on('error', reject)
      response.once('close', () => outgoing.destroy())
      request.pipe(outgoing)
    })
  }

  /** Line by line, so that none is torn: a real one may arrive in any number of pieces. */
  async #relayLines(seen: SeenRequest, answer: IncomingMessage, response: ServerResponse): Promise<void> {
    let rest = ''
    for await (const chunk of answer.setEncoding('utf8')) {
      const lines = `${rest}${chunk as string}`.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (this.#isDropped(seen, line)) continue
        await this.#write(seen, response, `${line}\n`)
        seen.lines += 1
      }
    }
    // A refusal is one line without an end.
    await this.#write(seen, response, rest)
  }

  #isDropped(seen: SeenRequest, line: string): boolean {
    for (const injection of this.#matching(seen)) {
      if (injection.fault.kind !== 'drop' || !injection.fault.lines(JSON.parse(line) as WatchLine)) continue
      injection.hits += 1
      return true
    }
    return false
  }

  async #write(seen: SeenRequest, response: ServerResponse, bytes: Buffer | string): Promise<void> {
    for (const injection of this.#matching(seen)) {
      if (injection.fault.kind !== 'pause') continue
      injection.hits += 1
      await injection.lifted
    }
    if (bytes.length > 0) response.write(bytes)
  }

  #matching(seen: SeenRequest): readonly Injection[] {
    return [...this.#injections].filter(({ matches }) => matches(seen))
  }
}

/** Requests for a kind, such as `ingresses`: lists and watches. */
export function anyOf(plural: string): Matches {
  return ({ path }) => path.endsWith(`/${plural}`)
}

/** The first page of a list, or all of one that has a single page. */
export function listOf(plural: string): Matches {
  return (request) => anyOf(plural)(request) && !request.query.has('watch') && !request.query.has('continue')
}

/** Every page of a list but its first. */
export function laterPageOf(plural: string): Matches {
  return (request) => anyOf(plural)(request) && request.query.has('continue')
}

export function watchOf(plural: string): Matches {
  return (request) => anyOf(plural)(request) && request.query.has('watch')
}

function seenRequest({ method = '', url = '', headers }: IncomingMessage): SeenRequest {
  const { pathname, searchParams } = new URL(url, 'https://api')
  const authorization = headers.authorization ?? ''
  const seen = { method, path: pathname, query: searchParams, atMs: performance.now(), authorization }
  return { ...seen, status: 0, lines: 0, isOpen: true }
}

function answerStatus(response: ServerResponse, { status, retryAfter }: Extract<Fault, { kind: 'answer' }>): void {
  const reason = (STATUS_CODES[status] ?? '').replaceAll(' ', '')
  const body = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', reason, code: status }
  const field = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  response.writeHead(status, { 'content-type': 'application/json', ...field })
  response.end(JSON.stringify({ ...body, message: 'by the fault proxy' }))
}
