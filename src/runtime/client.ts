import type { Dispatcher } from 'undici'
import type { Clock } from '../lib/clock.ts'
import { messageOf, RamjetError } from '../lib/errors.ts'
import type { Timers } from '../lib/timers.ts'
import { AgentCache, type Agents } from './agents.ts'
import { ApiAnswerError, ApiUnreachableError } from './api-errors.ts'
import { errorFromAnswer } from './api-status.ts'
import type { ClusterAccess } from './cluster-access.ts'
import { type Deadline, deadlineUnder, orAborted, reasonOf } from './deadline.ts'
import { JsonLines } from './json-lines.ts'

/** What reflectors and others ask an API server for: raw JSON, nothing typed. */
export interface ApiReader {
  /** The parsed answer. */
  get(path: string, options: CallOptions): Promise<unknown>
  /** The parsed answer to `body`, sent as JSON. */
  post(path: string, body: unknown, options: CallOptions): Promise<unknown>
  /**
   * The lines of a watch as they arrive, several at a time; ends when the server ends it. Only the answer's head has a
   * time limit: who reads the lines must watch for silence.
   */
  watch(path: string, options: CallOptions): AsyncGenerator<readonly string[], void, void>
}

/** What writers ask an API server for. Answers are the object as the server has it then. */
export interface ApiWriter {
  /** Creates an object in the collection at `path`. */
  post(path: string, body: unknown, options: CallOptions): Promise<unknown>
  /** Replaces the object at `path`. */
  put(path: string, body: unknown, options: CallOptions): Promise<unknown>
  /** Changes the object at `path` by a JSON merge patch (RFC 7396): `null` takes a field away, a list is replaced whole. */
  patch(path: string, body: unknown, options: CallOptions): Promise<unknown>
  delete(path: string, options: CallOptions): Promise<unknown>
}

export interface CallOptions {
  readonly query?: Readonly<Record<string, string>>
  /** Aborted: the call rejects with the signal's reason, and its connection is closed where it was in use. */
  readonly signal: AbortSignal
  /** Called directly before the request is sent, whatever was waited for: what it throws is what the call rejects with. */
  readonly check?: () => void
}

export interface ApiClientDeps {
  readonly access: ClusterAccess
  readonly clock: Clock
  readonly timers: Timers
  /** Longest time for a whole call, and for the head of a watch's answer. */
  readonly callTimeoutMs: number
  /** `ramjet/VERSION`. */
  readonly userAgent: string
}

interface Call extends Pick<CallOptions, 'query' | 'check'> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly path: string
  readonly body?: string
  readonly over: keyof Agents
}

/** Of the body of a PATCH, which is always a merge patch (R30-30). */
const MERGE_PATCH = 'application/merge-patch+json'

/** etcd takes objects of 1.5 MB by default; this leaves room for how JSON writes them. */
const MAX_LINE_BYTES = 16 * 1024 * 1024

/**
 * Calls one API server over cached connections. Rejects with `ApiStatusError` for refusals, `ApiUnreachableError` where
 * no whole answer came, `ApiAnswerError` where it was no JSON. Repeats a call once after a 401, with credentials read
 * anew, and never for another reason: when to ask again is the caller's to decide.
 */
export class ApiClient implements ApiReader, ApiWriter {
  readonly #deps: ApiClientDeps
  readonly #agents = new AgentCache()

  constructor(deps: ApiClientDeps) {
    this.#deps = deps
  }

  get(path: string, options: CallOptions): Promise<unknown> {
    return this.#call({ method: 'GET', path, over: 'calls' }, options)
  }

  post(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    return this.#call({ method: 'POST', path, body: JSON.stringify(body), over: 'calls' }, options)
  }

  put(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    return this.#call({ method: 'PUT', path, body: JSON.stringify(body), over: 'calls' }, options)
  }

  patch(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    return this.#call({ method: 'PATCH', path, body: JSON.stringify(body), over: 'calls' }, options)
  }

  delete(path: string, options: CallOptions): Promise<unknown> {
    return this.#call({ method: 'DELETE', path, over: 'calls' }, options)
  }

  async *watch(path: string, { query, signal }: CallOptions): AsyncGenerator<readonly string[], void, void> {
    const call: Call = { method: 'GET', path, over: 'watches', query: { ...query, watch: 'true' } }
    const body = await this.#openWatch(call, signal)
    const lines = new JsonLines(MAX_LINE_BYTES)
    try {
      const chunks: AsyncIterable<Uint8Array> = body
      for await (const chunk of chunks) yield lines.push(chunk)
    } catch (error) {
      throw this.#failure(call, error, signal)
    } finally {
      body.destroy()
    }
  }

  /** Cuts every connection; calls in flight reject. */
  close(): Promise<void> {
    return this.#agents.destroy()
  }

  async #openWatch(call: Call, signal: AbortSignal): Promise<Dispatcher.ResponseData['body']> {
    // The signal must outlive the head's time limit: it is what ends the body.
    const whole = new AbortController()
    const head = this.#deadline(call, signal)
    const abort = (): void => whole.abort(head.signal.reason)
    head.signal.addEventListener('abort', abort)
    try {
      const { body } = await this.#send(call, head.signal, whole.signal)
      signal.addEventListener('abort', () => whole.abort(signal.reason), { once: true, signal: whole.signal })
      body.once('close', () => whole.abort())
      return body
    } catch (error) {
      throw this.#failure(call, error, signal)
    } finally {
      head.signal.removeEventListener('abort', abort)
      head.clear()
    }
  }

  async #call(bare: Call, { query, check, signal }: CallOptions): Promise<unknown> {
    const call = { ...bare, ...(query ? { query } : {}), ...(check ? { check } : {}) }
    const deadline = this.#deadline(call, signal)
    try {
      const { body } = await this.#send(call, deadline.signal, deadline.signal)
      return parseJson(call, await body.text())
    } catch (error) {
      throw this.#failure(call, error, signal)
    } finally {
      deadline.clear()
    }
  }

  #deadline(call: Call, parent: AbortSignal): Deadline {
    const { timers, callTimeoutMs: ms } = this.#deps
    const error = (): Error => new ApiUnreachableError(`${nameOf(call)} was not answered within ${ms} ms`)
    return deadlineUnder(parent, { ms, timers, error })
  }

  /** The answer to a call with a good status. `waiting` bounds the credentials, `signal` the exchange. */
  async #send(call: Call, waiting: AbortSignal, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const answer = await this.#exchange(call, waiting, signal)
    if (answer.statusCode !== 401) return this.#checked(call, answer)
    await answer.body.dump()
    this.#deps.access.expire()
    return this.#checked(call, await this.#exchange(call, waiting, signal))
  }

  async #exchange(call: Call, waiting: AbortSignal, signal: AbortSignal): Promise<Dispatcher.ResponseData> {
    const { access, userAgent } = this.#deps
    const { headers, tls } = await orAborted(access.credentials(), waiting)
    const type = call.method === 'PATCH' ? MERGE_PATCH : 'application/json'
    const content = call.body === undefined ? {} : { 'content-type': type }
    call.check?.()
    return this.#agents.for(tls)[call.over].request({
      origin: access.server.origin,
      path: targetOf(access.server, call),
      method: call.method,
      headers: { ...headers, ...content, accept: 'application/json', 'user-agent': userAgent },
      body: call.body ?? null,
      signal,
    })
  }

  async #checked(call: Call, answer: Dispatcher.ResponseData): Promise<Dispatcher.ResponseData> {
    const { statusCode, headers, body } = answer
    if (statusCode >= 200 && statusCode < 300) return answer
    const retryAfter = headers['retry-after']
    throw errorFromAnswer(nameOf(call), statusCode, {
      text: await body.text(),
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      wallMs: this.#deps.clock.wallMs(),
    })
  }

  #failure(call: Call, error: unknown, signal: AbortSignal): Error {
    if (signal.aborted) return reasonOf(signal)
    if (error instanceof RamjetError) return error
    return new ApiUnreachableError(`${nameOf(call)} failed: ${messageOf(error)}`, { cause: error })
  }
}

function nameOf({ method, path }: Call): string {
  return `${method} ${path}`
}

function targetOf(server: URL, { path, query }: Call): string {
  const base = server.pathname.replace(/\/$/, '')
  const search = new URLSearchParams(query).toString()
  return search === '' ? `${base}${path}` : `${base}${path}?${search}`
}

function parseJson(call: Call, text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new ApiAnswerError(`${nameOf(call)} was not answered with JSON`, { cause })
  }
}
