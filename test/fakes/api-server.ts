// A small API server in this process, for unit tests and for faults that a real one cannot be made to have.
// What it says is no proof of how a real one behaves: that is what test/cluster is for.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'

export interface FakeObject {
  readonly metadata: {
    readonly name: string
    readonly namespace?: string
    readonly uid?: string
    readonly resourceVersion?: string
    readonly creationTimestamp?: string
    readonly [field: string]: unknown
  }
  readonly [field: string]: unknown
}

/** What a request is answered with instead of the truth. `hang`: with nothing. `cut`: the connection is closed. */
export type Fault =
  | {
      readonly kind: 'status'
      readonly status: number
      readonly reason?: string
      readonly retryAfter?: string
      readonly causes?: readonly string[]
    }
  | { readonly kind: 'body'; readonly text: string }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }

export interface SeenRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Which connection it came over: the first is 1. */
  readonly connection: number
  readonly body: string
}

interface OpenWatch {
  readonly path: string
  /** Of the one object that is watched; `undefined`: all. */
  readonly name: string | undefined
  readonly response: ServerResponse
}

/** An event that a watch from an older version is told first. */
interface PastEvent {
  readonly path: string
  readonly name: string
  readonly version: number
  readonly line: string
}

type Matches = (request: SeenRequest) => boolean

interface Planned {
  readonly matches: Matches
  readonly fault: Fault
  left: number
}

export interface TlsFiles {
  readonly cert: string
  readonly key: string
}

export class FakeApiServer {
  /** Every request, oldest first. */
  readonly requests: SeenRequest[] = []
  /** Collections by path, such as `/api/v1/services`; a path that is not here is answered 404. */
  readonly #collections = new Map<string, Map<string, FakeObject>>()
  readonly #forbidden = new Set<string>()
  readonly #connections = new WeakMap<Socket, number>()
  readonly #sockets = new Set<Socket>()
  readonly #server: Server
  #connectionCount = 0
  #watches: OpenWatch[] = []
  #past: PastEvent[] = []
  #faults: Planned[] = []
  #listeners: (() => void)[] = []
  #version = 100

  constructor(tls?: TlsFiles) {
    const serve = (request: IncomingMessage, response: ServerResponse): void => void this.#serve(request, response)
    this.#server = tls ? createTlsServer(tls, serve) : createServer(serve)
    // A test that stands still for a while must not lose a connection that a client is about to use again.
    this.#server.keepAliveTimeout = 0
    const event = tls ? 'secureConnection' : 'connection'
    this.#server.on(event, (socket: Socket) => {
      this.#connectionCount += 1
      this.#connections.set(socket, this.#connectionCount)
      this.#sockets.add(socket)
      socket.on('close', () => this.#sockets.delete(socket))
    })
  }

  async start(): Promise<URL> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return this.url
  }

  get url(): URL {
    const { port } = this.#server.address() as AddressInfo
    const scheme = 'setSecureContext' in this.#server ? 'https' : 'http'
    return new URL(`${scheme}://127.0.0.1:${port}`)
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve))
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }

  /** Begins to serve the collection at `path` with these objects. */
  serve(path: string, ...objects: readonly FakeObject[]): void {
    this.#collections.set(path, new Map())
    for (const object of objects) this.put(path, object)
  }

  /** Stops serving `path`, as when a CRD is removed. */
  unserve(path: string): void {
    this.#collections.delete(path)
  }

  /** Creates or replaces an object, and tells those who watch. */
  put(path: string, object: FakeObject): FakeObject {
    const collection = this.#collectionOf(path)
    const key = keyOf(object)
    const before = collection.get(key)
    const stored = this.#stamped(object, before)
    collection.set(key, stored)
    this.#send(path, before ? 'MODIFIED' : 'ADDED', stored)
    return stored
  }

  delete(path: string, key: string): void {
    const object = this.#collectionOf(path).get(key)
    if (!object) return
    this.#collectionOf(path).delete(key)
    this.#version += 1
    const metadata = { ...object.metadata, resourceVersion: String(this.#version) }
    this.#send(path, 'DELETED', { ...object, metadata })
  }

  /** Changes an object without telling those who watch: what happens in a gap between two watches. */
  putSilently(path: string, object: FakeObject): void {
    const collection = this.#collectionOf(path)
    collection.set(keyOf(object), this.#stamped(object, collection.get(keyOf(object))))
  }

  deleteSilently(path: string, key: string): void {
    this.#collectionOf(path).delete(key)
  }

  bookmark(path: string): void {
    this.#version += 1
    this.#send(path, 'BOOKMARK', { metadata: { name: '', resourceVersion: String(this.#version) } })
  }

  /** Sends a raw line to those who watch `path`. */
  sendLine(path: string, line: string): void {
    for (const watch of this.#watchesOf(path)) watch.response.write(line)
  }

  sendError(path: string, status: number, reason: string): void {
    const object = { kind: 'Status', code: status, reason, message: reason }
    this.sendLine(path, `${JSON.stringify({ type: 'ERROR', object })}\n`)
  }

  /** Ends the watches of `path` as a server does whose timeout has come. */
  endWatches(path: string): void {
    for (const { response } of this.#watchesOf(path)) response.end()
  }

  /** Cuts every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  /** Versions go back, as after an etcd was restored. */
  setVersion(version: number): void {
    this.#version = version
  }

  /** Answers the next `times` requests that match with a fault. */
  fail(fault: Fault, matches: Matches, times = 1): void {
    this.#faults.push({ matches, fault, left: times })
  }

  /** Takes back what `fail` planned. */
  heal(): void {
    this.#faults = []
  }

  /** From now on `verb resource` is forbidden, to reviews and to requests. */
  forbid(verb: 'list' | 'watch', resource: string): void {
    this.#forbidden.add(`${verb} ${resource}`)
  }

  grant(verb: 'list' | 'watch', resource: string): void {
    this.#forbidden.delete(`${verb} ${resource}`)
  }

  watching(path: string): number {
    return this.#watchesOf(path).length
  }

  /** Resolves as soon as `done` is true; it is asked after each request and each end of a watch. */
  async until(done: () => boolean): Promise<void> {
    while (!done()) {
      await new Promise<void>((resolve) => {
        this.#listeners.push(resolve)
      })
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = await this.#seen(request)
    this.requests.push(seen)
    this.#answer(seen, response)
    this.#notify()
  }

  async #seen(request: IncomingMessage): Promise<SeenRequest> {
    const url = new URL(request.url ?? '/', 'http://api.example')
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part as Buffer)
    return {
      method: request.method ?? '',
      path: url.pathname,
      query: url.searchParams,
      headers: request.headers,
      connection: this.#connections.get(request.socket) ?? 0,
      body: Buffer.concat(parts).toString('utf8'),
    }
  }

  #answer(seen: SeenRequest, response: ServerResponse): void {
    const fault = this.#takeFault(seen)
    if (fault) this.#misbehave(fault, response)
    else if (seen.path.endsWith('/selfsubjectaccessreviews')) this.#review(seen, response)
    else this.#read(seen, response)
  }

  #takeFault(seen: SeenRequest): Fault | undefined {
    const planned = this.#faults.find(({ matches, left }) => left > 0 && matches(seen))
    if (planned) planned.left -= 1
    return planned?.fault
  }

  #misbehave(fault: Fault, response: ServerResponse): void {
    switch (fault.kind) {
      case 'status':
        if (fault.retryAfter !== undefined) response.setHeader('retry-after', fault.retryAfter)
        sendStatus(response, fault)
        return
      case 'body':
        response.writeHead(200, { 'content-type': 'application/json' }).end(fault.text)
        return
      case 'cut':
        response.destroy()
        return
      case 'hang':
    }
  }

  #review(seen: SeenRequest, response: ServerResponse): void {
    const { spec } = JSON.parse(seen.body) as { spec: { resourceAttributes: { verb: string; resource: string } } }
    const { verb, resource } = spec.resourceAttributes
    sendJson(response, 201, { status: { allowed: !this.#forbidden.has(`${verb} ${resource}`) } })
  }

  #read(seen: SeenRequest, response: ServerResponse): void {
    const isWatch = seen.query.get('watch') === 'true'
    const resource = seen.path.slice(seen.path.lastIndexOf('/') + 1)
    if (this.#forbidden.has(`${isWatch ? 'watch' : 'list'} ${resource}`)) {
      sendStatus(response, { status: 403, reason: 'Forbidden' })
      return
    }
    const collection = this.#collections.get(seen.path)
    const object = collection ? undefined : this.#objectAt(seen.path)
    if (object) sendJson(response, 200, object)
    else if (!collection) sendStatus(response, { status: 404, reason: 'NotFound' })
    else if (isWatch) this.#openWatch(seen, response)
    else sendJson(response, 200, this.#page(collection, seen.query))
  }

  #page(collection: ReadonlyMap<string, FakeObject>, query: URLSearchParams): unknown {
    const name = nameIn(query)
    const all = [...collection.values()].filter(({ metadata }) => name === undefined || metadata.name === name)
    const start = Number(query.get('continue') ?? 0)
    const end = start + Number(query.get('limit') ?? all.length)
    const more = end < all.length ? { continue: String(end) } : {}
    return { metadata: { resourceVersion: String(this.#version), ...more }, items: all.slice(start, end) }
  }

  /** The object at the path of its collection and its name. */
  #objectAt(path: string): FakeObject | undefined {
    const slash = path.lastIndexOf('/')
    const collection = this.#collections.get(path.slice(0, slash))
    return [...(collection?.values() ?? [])].find(({ metadata }) => metadata.name === path.slice(slash + 1))
  }

  #openWatch({ path, query }: SeenRequest, response: ServerResponse): void {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.flushHeaders()
    const from = Number(query.get('resourceVersion') ?? this.#version)
    const name = nameIn(query)
    for (const event of this.#past) {
      if (event.path === path && event.version > from && isFor(name, event.name)) response.write(event.line)
    }
    const watch = { path, name, response }
    this.#watches.push(watch)
    response.on('close', () => {
      this.#watches = this.#watches.filter((other) => other !== watch)
      this.#notify()
    })
  }

  #send(path: string, type: string, object: FakeObject): void {
    const line = `${JSON.stringify({ type, object })}\n`
    const { name } = object.metadata
    this.#past.push({ path, name, version: this.#version, line })
    for (const watch of this.#watchesOf(path)) {
      if (isFor(watch.name, name)) watch.response.write(line)
    }
  }

  #watchesOf(path: string): OpenWatch[] {
    return this.#watches.filter((watch) => watch.path === path)
  }

  #collectionOf(path: string): Map<string, FakeObject> {
    const collection = this.#collections.get(path)
    if (!collection) throw new Error(`the fake API server does not serve ${path}`)
    return collection
  }

  #stamped(object: FakeObject, before: FakeObject | undefined): FakeObject {
    this.#version += 1
    const uid = object.metadata.uid ?? before?.metadata.uid ?? `uid-${this.#version}`
    const creationTimestamp = object.metadata.creationTimestamp ?? '2026-01-01T00:00:00Z'
    return {
      ...object,
      metadata: { ...object.metadata, uid, creationTimestamp, resourceVersion: String(this.#version) },
    }
  }

  #notify(): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener()
  }
}

/** The name in a field selector; `undefined`: there is none. */
function nameIn(query: URLSearchParams): string | undefined {
  return /^metadata\.name=(.+)$/.exec(query.get('fieldSelector') ?? '')?.[1]
}

/** Whether a watch of `watched` is told of the object `name`; a bookmark, which has none, is for everybody. */
function isFor(watched: string | undefined, name: string): boolean {
  return watched === undefined || name === '' || watched === name
}

/** Matches the lists (not the watches) of a collection. */
export function listsOf(path: string): Matches {
  return (request) => request.path === path && request.query.get('watch') === null
}

/** Matches the watches of a collection. */
export function watchesOf(path: string): Matches {
  return (request) => request.path === path && request.query.get('watch') === 'true'
}

function keyOf({ metadata }: FakeObject): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

interface StatusAnswer {
  readonly status: number
  readonly reason?: string
  readonly causes?: readonly string[]
}

function sendStatus(response: ServerResponse, { status, reason = '', causes = [] }: StatusAnswer): void {
  const details = { causes: causes.map((cause) => ({ reason: cause })) }
  sendJson(response, status, { kind: 'Status', code: status, reason, message: `fake ${status} ${reason}`, details })
}
