// GET /admin/replicas/NAME/PATH: the admin API of one replica through that of another (R32-40, R32-41).
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http'
import { createProxyServer } from 'http-proxy-3'
import { HOP_BY_HOP } from '../lib/field-names.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import type { Replica } from '../model/replica.ts'
import type { AdminFailure, AdminFailures } from './admin-failures.ts'
import type { Handled } from './admin-path.ts'
import type { AdminToken } from './admin-token.ts'
import { type Answer, problem } from './answer.ts'
import { hasBody } from './request-body.ts'

export interface RelayDeps {
  readonly replicas: () => readonly Replica[]
  /** Sent along; `undefined`: none is. */
  readonly token: AdminToken | undefined
  readonly timers: Timers
  readonly failures: AdminFailures
  /** Writes an answer of our own. */
  readonly send: (response: ServerResponse, request: IncomingMessage, answer: Answer) => void
}

const PREFIX = '/admin/replicas/'
const MAX_OPEN = 64
const CONNECT_MS = 2_000
const HEAD_MS = 5_000
const SILENCE_MS = 60_000
const TOO_LATE: Answer = problem(504, 'the replica did not answer in time')
/** Fields of the client that go along. */
const FORWARDED: ReadonlySet<string> = new Set(['accept', 'if-none-match', 'last-event-id'])
/** What is relayed begins with neither, so nothing is relayed twice. */
const NEVER: ReadonlySet<string> = new Set(['replicas', 'ui'])
const PATH = /^[a-z]+(?:\/[a-z]+)*$/

/** Whether a path is one that is relayed. */
export function isRelayed(pathname: string): boolean {
  return pathname.startsWith(PREFIX)
}

/** Hands requests on to replicas, a bounded number at once. */
export class Relay {
  readonly #deps: RelayDeps
  #open = 0

  constructor(deps: RelayDeps) {
    this.#deps = deps
  }

  /** Requests that are under way. */
  get size(): number {
    return this.#open
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<Handled> {
    const target = this.#targetOf(new URL(request.url ?? '', 'http://admin'))
    if ('status' in target) return target
    if (hasBody(request)) return problem(400, 'what is relayed has no body')
    if (this.#open >= MAX_OPEN) {
      this.#deps.failures.count('relay_limit')
      return problem(503, `${MAX_OPEN} requests are relayed already`)
    }
    this.#open += 1
    response.once('close', () => {
      this.#open -= 1
    })
    const token = await this.#deps.token?.current()
    // The client may have gone meanwhile; nobody would end what was begun for it now.
    if (response.destroyed) return 'taken'
    new RelayedExchange(request, response, this.#deps).begin(target.href, token)
    return 'taken'
  }

  /** The address comes from the list alone; of what the client sent it has a path of letters and a query. */
  #targetOf({ pathname, search }: URL): Answer | { readonly href: string } {
    const [name = '', ...segments] = pathname.slice(PREFIX.length).split('/')
    const replicas = this.#deps.replicas()
    const replica = replicas.find((one) => encodeURIComponent(one.name) === name || one.name === name)
    if (!replica) return problem(404, 'no such replica', { replicas: replicas.map((one) => one.name) })
    const path = segments.join('/')
    if (!PATH.test(path) || NEVER.has(segments[0] ?? '')) return problem(404, 'no such path is relayed')
    return { href: `http://${replica.address}/admin/${path}${search}` }
  }
}

/** One request on its way. */
class RelayedExchange {
  readonly #request: IncomingMessage
  readonly #response: ServerResponse
  readonly #deps: RelayDeps
  #cancelDeadline: Cancel = () => undefined
  #outgoing: ClientRequest | undefined
  /** Why we ended it ourselves. */
  #cut: AdminFailure | undefined

  constructor(request: IncomingMessage, response: ServerResponse, deps: RelayDeps) {
    this.#request = request
    this.#response = response
    this.#deps = deps
  }

  begin(href: string, token: string | undefined): void {
    keepForwarded(this.#request, this.#response)
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const proxy = createProxyServer({ target: href, ignorePath: true, changeOrigin: true, headers })
    const cancelConnect = this.#deps.timers.after(CONNECT_MS, () => this.#cutOff('relay_connect'))
    this.#cancelDeadline = this.#deps.timers.after(HEAD_MS, () => this.#cutOff('relay_timeout'))
    this.#response.once('close', () => {
      cancelConnect()
      this.#cancelDeadline()
    })
    proxy.on('proxyReq', (outgoing) => {
      this.#outgoing = outgoing
      outgoing.socket?.once('connect', cancelConnect)
      // With nobody to take it the runtime drops the connection and tells nobody.
      outgoing.once('upgrade', (_incoming, socket) => {
        socket.destroy()
        this.#failed('relay_broken')
      })
    })
    proxy.on('proxyRes', (incoming) => this.#began(incoming))
    // A client that went away is nobody's failure.
    proxy.on('econnreset', () => undefined)
    proxy.web(this.#request, this.#response, {}, () => this.#failed())
  }

  /** The head is there: from now on only silence and an early end are looked for. */
  #began(incoming: IncomingMessage): void {
    // What no answer may begin with would be thrown back by the client's response, where nobody catches it.
    if ((incoming.statusCode ?? 0) < 200) {
      incoming.destroy()
      this.#failed('relay_broken')
      return
    }
    delete incoming.statusMessage
    dropHopByHop(incoming)
    const rearm = (): void => {
      this.#cancelDeadline()
      this.#cancelDeadline = this.#deps.timers.after(SILENCE_MS, () => this.#cutOff('relay_timeout'))
    }
    rearm()
    incoming.on('data', rearm)
    incoming.once('close', () => {
      this.#cancelDeadline()
      // The package leaves a client waiting whose answer broke off.
      if (!incoming.complete) this.#broke()
    })
  }

  #cutOff(reason: AdminFailure): void {
    this.#cut = reason
    this.#outgoing?.destroy(new Error(reason))
    if (this.#response.headersSent) this.#broke()
  }

  #broke(): void {
    if (this.#response.destroyed) return
    this.#deps.failures.count(this.#cut ?? 'relay_broken')
    this.#response.destroy()
  }

  /** No head came that may go on. */
  #failed(found: AdminFailure = 'relay_connect'): void {
    if (this.#response.destroyed || this.#response.headersSent) return
    const reason = this.#cut ?? found
    this.#deps.failures.count(reason)
    this.#deps.send(this.#response, this.#request, this.#cut ? TOO_LATE : answerTo(reason))
  }
}

function answerTo(reason: AdminFailure): Answer {
  const isBroken = reason === 'relay_broken'
  return problem(502, isBroken ? 'what the replica sent is no answer' : 'the replica cannot be reached')
}

/** Leaves in `request` what may go along; nobody else reads it after this. */
function keepForwarded(request: IncomingMessage, response: ServerResponse): void {
  for (const name of Object.keys(request.headers)) if (!FORWARDED.has(name)) delete request.headers[name]
  // The package answers the client's connection as it was asked to.
  if (!response.shouldKeepAlive) request.headers.connection = 'close'
}

function dropHopByHop(incoming: IncomingMessage): void {
  const named = (incoming.headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  for (const name of [...HOP_BY_HOP, ...named]) delete incoming.headers[name]
}
