// One Lease, and any objects beside it, in a server whose network delays, loses and repeats nothing but answers and
// requests: each write is carried out at one instant, under optimistic locking. Time is a FakeClock's.

import { recordOf } from '../../src/lib/json-record.ts'
import type { Timers } from '../../src/lib/timers.ts'
import { ApiStatusError, ApiUnreachableError } from '../../src/runtime/api-errors.ts'
import type { ApiReader, ApiWriter, CallOptions } from '../../src/runtime/client.ts'
import { reasonOf } from '../../src/runtime/deadline.ts'
import { metadataOf } from '../../src/runtime/watch-event.ts'

/** What becomes of one call: how long either way takes, and whether it arrives. */
export interface Passage {
  readonly requestMs: number
  readonly answerMs: number
  readonly loses?: 'request' | 'answer' | undefined
}

export interface StoredObject {
  readonly metadata: { readonly resourceVersion: string; readonly [field: string]: unknown }
  readonly [field: string]: unknown
}

/** A write that was carried out. */
export interface Landed {
  readonly path: string
  readonly atMs: number
  readonly object: StoredObject
}

export class LeaseServer {
  /** By path. */
  readonly objects = new Map<string, StoredObject>()
  readonly landed: Landed[] = []
  readonly #nowMs: () => number
  readonly #watchers = new Set<(line: string) => void>()
  #version = 100

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  /** Carries a write out, or throws what it is answered. `undefined` in place of an object deletes. */
  write(path: string, raw: unknown, isNew: boolean): StoredObject {
    const before = this.objects.get(path)
    if (isNew ? before : before?.metadata.resourceVersion !== metadataOf(raw)['resourceVersion']) throw refusal(409)
    if (!isNew && !before) throw refusal(404)
    // The API has it as an int32.
    if (Number(recordOf(recordOf(raw)['spec'])['leaseTransitions'] ?? 0) > 2 ** 31 - 1) throw refusal(400)
    this.#version += 1
    const metadata = { ...metadataOf(raw), resourceVersion: String(this.#version) }
    const object: StoredObject = { ...recordOf(raw), metadata }
    this.objects.set(path, object)
    this.landed.push({ path, atMs: this.#nowMs(), object })
    this.#tell('MODIFIED', object)
    return object
  }

  delete(path: string): void {
    const object = this.objects.get(path)
    this.objects.delete(path)
    if (object) this.#tell('DELETED', object)
  }

  list(): unknown {
    return { metadata: { resourceVersion: String(this.#version) }, items: [...this.objects.values()] }
  }

  watch(hear: (line: string) => void): () => void {
    this.#watchers.add(hear)
    return () => this.#watchers.delete(hear)
  }

  #tell(type: string, object: StoredObject): void {
    for (const hear of this.#watchers) hear(JSON.stringify({ type, object }))
  }
}

export function refusal(status: number): ApiStatusError {
  return new ApiStatusError(`refused ${status}`, { status, reason: '', retryAfterMs: 0, causes: [] })
}

export interface LeaseLinkOptions {
  /** Time as it passes on the way, whatever state the client is in. */
  readonly network: Timers
  /** Time as the client's process has it. */
  readonly timers: Timers
  /** Asked for each call; a watch's lines each ask anew. */
  readonly passage: (method: string) => Passage
  /** Whether lists and watches are allowed. */
  readonly mayWatch: boolean
  readonly callTimeoutMs: number
}

/** One client's way to the server. */
export class LeaseLink implements ApiReader, ApiWriter {
  readonly #server: LeaseServer
  readonly #options: LeaseLinkOptions

  constructor(server: LeaseServer, options: LeaseLinkOptions) {
    this.#server = server
    this.#options = options
  }

  get(path: string, options: CallOptions): Promise<unknown> {
    return this.#call('GET', options, () => {
      if (options.query?.['fieldSelector'] !== undefined) return this.#server.list()
      const object = this.#server.objects.get(path)
      if (!object) throw refusal(404)
      return object
    })
  }

  post(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    if (path.endsWith('/selfsubjectaccessreviews')) {
      return this.#call('GET', options, () => ({ status: { allowed: this.#options.mayWatch } }))
    }
    return this.#call('POST', options, () =>
      this.#server.write(`${path}/${String(metadataOf(body)['name'])}`, body, true),
    )
  }

  put(path: string, body: unknown, options: CallOptions): Promise<unknown> {
    return this.#call('PUT', options, () => this.#server.write(path, body, false))
  }

  patch(): Promise<unknown> {
    return Promise.reject(new Error('nobody patches a Lease'))
  }

  delete(): Promise<unknown> {
    return Promise.reject(new Error('nobody deletes a Lease'))
  }

  async *watch(_path: string, { signal }: CallOptions): AsyncGenerator<readonly string[], void, void> {
    const lines: string[] = []
    let wake = noop
    // Lines of one watch arrive in their order, so each is at most as fast as the one before.
    let lastAtMs = 0
    const stop = this.#server.watch((line) => {
      lastAtMs = Math.max(lastAtMs, this.#options.passage('WATCH').answerMs)
      this.#options.timers.after(lastAtMs, () => {
        lines.push(line)
        wake()
      })
    })
    const abort = (): void => wake()
    signal.addEventListener('abort', abort)
    try {
      while (!signal.aborted) {
        if (lines.length > 0) yield lines.splice(0)
        else {
          const { promise, resolve } = Promise.withResolvers<void>()
          wake = resolve
          await promise
        }
      }
      throw reasonOf(signal)
    } finally {
      stop()
      signal.removeEventListener('abort', abort)
    }
  }

  /** `act` runs at the server, after the request's way; what it gives or throws comes after the answer's. */
  #call(method: string, { signal, check }: CallOptions, act: () => unknown): Promise<unknown> {
    const { network, timers, passage, callTimeoutMs } = this.#options
    const { requestMs, answerMs, loses } = passage(method)
    const { promise, resolve, reject } = Promise.withResolvers<unknown>()
    check?.()
    const settle = (outcome: () => unknown): void => {
      try {
        resolve(outcome())
      } catch (error) {
        reject(error)
      }
    }
    const abort = (): void => reject(reasonOf(signal))
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort)
    const timeOut = timers.after(callTimeoutMs, () => reject(new ApiUnreachableError('not answered in time')))
    if (loses !== 'request') {
      network.after(requestMs, () => {
        const outcome = outcomeOf(act)
        if (loses !== 'answer') timers.after(answerMs, () => settle(outcome))
      })
    }
    return promise.finally(() => {
      timeOut()
      signal.removeEventListener('abort', abort)
    })
  }
}

function outcomeOf(act: () => unknown): () => unknown {
  try {
    const value = act()
    return () => value
  } catch (error) {
    return () => {
      throw error
    }
  }
}

function noop(): void {}
