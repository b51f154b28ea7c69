// The one writer of the objects of a kind: paced, one write at a time, each from the newest state and none blindly again (R30-30).
import type { Decode } from '../api/decode.ts'
import type { KubernetesObject } from '../api/meta.ts'
import type { Clock } from '../lib/clock.ts'
import { messageOf, RamjetError } from '../lib/errors.ts'
import { type JsonRecord, recordOf } from '../lib/json-record.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { ApiStatusError } from '../runtime/api-errors.ts'
import { Backoff, READER_BACKOFF } from '../runtime/backoff.ts'
import type { ApiWriter } from '../runtime/client.ts'
import { NotLeadingError } from '../runtime/leader-election.ts'
import type { Lister } from '../runtime/lister.ts'
import { requestOf } from '../runtime/reconciler.ts'
import { collectionPath, type Resource } from '../runtime/resource.ts'
import type { TokenBucket } from '../runtime/token-bucket.ts'
import { isOlderVersion } from '../runtime/trouble.ts'
import { waitFor } from '../runtime/wait.ts'
import { RefusedWrites } from './refused-writes.ts'
import { WriteBlocks } from './write-blocks.ts'
import { WriteQueue } from './write-queue.ts'
import { FIELD_MANAGER } from './written-fields.ts'

/** Which part of an object is patched: permissions tell them apart. */
export type WriteTarget = 'object' | 'status'

const TARGETS: readonly WriteTarget[] = ['object', 'status']

/** One change of an object that is due. */
export interface PlannedPatch {
  readonly target: WriteTarget
  /** A merge patch without resourceVersion. */
  readonly body: JsonRecord
  /** Called directly before it is sent. */
  readonly sending?: () => void
  /** Called when it is known to have been written. */
  readonly wrote?: () => void
}

/** Decides about one thing that is written onto objects of a kind. */
export interface WrittenPart<T extends KubernetesObject> {
  readonly target: WriteTarget
  /** What `object` lacks; `undefined`: nothing. */
  plan(key: string, object: T): PlannedPatch | undefined
}

export interface ObjectWriterSettings {
  /** Between two writes to one object. */
  readonly objectWriteMs: number
  /** How long after a 403 the same kind of write is tried again. */
  readonly forbiddenWriteMs: number
  /** Whether permissions are granted by namespace, so that a 403 in one of them says nothing about the others. */
  readonly isNarrowed: boolean
}

export interface ObjectWriterDeps<T extends KubernetesObject> {
  readonly resource: Resource
  /** Reads what the API server answers to a write. */
  readonly decode: Decode<T>
  readonly client: Pick<ApiWriter, 'patch'>
  readonly lister: Lister<T>
  readonly parts: readonly WrittenPart<T>[]
  readonly bucket: TokenBucket
  /** Throws where nothing may be written any more. */
  readonly check: () => void
  readonly settings: ObjectWriterSettings
  /** Told whenever nothing is left to be written for now. */
  readonly onIdle: () => void
  /** Told of each write that the API server refused. */
  readonly onRefused: () => void
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

/** Looks at objects of a kind that may lack something, and writes it, for as long as one term lasts. */
export class ObjectWriter<T extends KubernetesObject> {
  readonly #deps: ObjectWriterDeps<T>
  readonly #queue: WriteQueue
  readonly #blocks: WriteBlocks
  readonly #backoff: Backoff
  /** What our own writes made of an object, until the cache has it too. */
  readonly #ahead = new Map<string, T>()
  readonly #refused = new RefusedWrites()
  readonly #halt = new AbortController()
  #isWriting = false

  constructor(deps: ObjectWriterDeps<T>) {
    const { settings, timers, random } = deps
    this.#deps = deps
    this.#queue = new WriteQueue({ restMs: settings.objectWriteMs, timers })
    this.#backoff = new Backoff(READER_BACKOFF, random)
    const onOpen = (key: string): void => this.look(key)
    this.#blocks = new WriteBlocks({ blockMs: settings.forbiddenWriteMs, timers, onOpen })
  }

  /** Has the object looked at; `isFirst`: before those that are not. */
  look(key: string, isFirst: boolean = false): void {
    if (!this.#halt.signal.aborted) this.#queue.add(key, isFirst)
  }

  /** Whether everything was looked at and written, as far as it can be. */
  get isIdle(): boolean {
    return this.#queue.size === 0 && !this.#isWriting
  }

  /** There is no such object any more. */
  gone(key: string): void {
    this.#ahead.delete(key)
    this.#refused.forget(key)
  }

  /** Begins nothing from now on; what is being written goes on. */
  halt(): void {
    this.#halt.abort(new Error('no more writes'))
  }

  /** Writes until `term` is aborted, which cuts the write in hand, or `halt` was called, which lets it end. */
  async run(term: AbortSignal): Promise<void> {
    const halt = AbortSignal.any([term, this.#halt.signal])
    for (let key = await this.#next(halt); key !== undefined; key = await this.#next(halt)) {
      this.#isWriting = true
      await this.#handle(key, halt, term)
      this.#isWriting = false
    }
    this.#queue.clear()
    this.#blocks.clear()
  }

  async #next(halt: AbortSignal): Promise<string | undefined> {
    if (this.isIdle) this.#deps.onIdle()
    return await this.#queue.take(halt)
  }

  async #handle(key: string, halt: AbortSignal, term: AbortSignal): Promise<void> {
    if (!this.#plan(key)) return
    await this.#deps.bucket.take(halt)
    // Decided anew: while it waited for its turn, anything may have changed.
    const due = halt.aborted ? undefined : this.#plan(key)
    if (!due) return
    try {
      await this.#send(key, due, term)
    } catch (error) {
      if (term.aborted || error instanceof NotLeadingError) return
      await waitFor(this.#failed(key, due, error), this.#deps.timers, halt)
    }
  }

  #plan(key: string): DuePatch<T> | undefined {
    const object = this.#current(key)
    if (!object) return undefined
    for (const part of this.#deps.parts) {
      if (this.#refused.has(key, object.metadata.resourceVersion, part.target)) continue
      const patch = part.plan(key, object)
      if (!patch) continue
      if (!this.#blocks.holds(this.#scopeOf(part.target, key), key)) return { patch, object }
    }
    return undefined
  }

  /** What one permission allows. */
  #scopeOf(target: WriteTarget, key: string): string {
    return this.#deps.settings.isNarrowed ? `${target} ${requestOf(key).namespace}` : target
  }

  /** The newest that is known: what the cache holds, unless our own last write is newer. */
  #current(key: string): T | undefined {
    const cached = this.#deps.lister.get(key)
    const ahead = this.#ahead.get(key)
    if (cached && ahead && isOlderVersion(cached.metadata.resourceVersion, ahead.metadata.resourceVersion)) return ahead
    this.#ahead.delete(key)
    return cached
  }

  async #send(key: string, { patch, object }: DuePatch<T>, signal: AbortSignal): Promise<void> {
    const { client, check, resource, decode } = this.#deps
    const { resourceVersion } = object.metadata
    const metadata = { ...recordOf(patch.body['metadata']), resourceVersion }
    const query = { fieldManager: FIELD_MANAGER }
    const sendNow = (): void => {
      check()
      patch.sending?.()
    }
    const answer = await client.patch(
      pathOf(key, resource, patch.target),
      { ...patch.body, metadata },
      {
        query,
        signal,
        check: sendNow,
      },
    )
    this.#blocks.allowed(this.#scopeOf(patch.target, key))
    patch.wrote?.()
    const written = decode(answer)
    if (written.ok) this.#ahead.set(key, written.value)
    this.#queue.rest(key)
    // The other part may lack something as well.
    this.#queue.add(key, false)
  }

  /** Milliseconds until the next write to any object. */
  #failed(key: string, { patch, object }: DuePatch<T>, error: unknown): number {
    const { log, onRefused, resource } = this.#deps
    const fields = { object: key, kind: resource.kind, target: patch.target, ...factsOf(error) }
    if (!(error instanceof ApiStatusError)) return this.#later(key, error, 0)
    onRefused()
    const { status, retryAfterMs } = error
    if (status === 429 || status >= 500 || status === 401) return this.#later(key, error, retryAfterMs)
    if (status === 403) {
      const isNews = this.#blocks.block(this.#scopeOf(patch.target, key), key)
      if (isNews) log.warn(fields, 'a write was forbidden, trying again in a while')
      // What else it lacks may be allowed, and nothing was written that it would have to rest from.
      this.#queue.add(key, false)
      return 0
    }
    this.#queue.rest(key)
    this.#ahead.delete(key)
    const isLate = status === 409 || status === 404
    // Not again for this version: another one is on its way here, or there is none any more.
    this.#refused.add(key, object.metadata.resourceVersion, isLate ? TARGETS : [patch.target])
    if (isLate) log.debug(fields, 'a write came too late')
    else log.warn(fields, 'a write was refused')
    // What else it lacks may be taken.
    if (!isLate) this.#queue.add(key, false)
    return 0
  }

  #later(key: string, error: unknown, atLeastMs: number): number {
    this.#queue.rest(key)
    this.#queue.add(key, false)
    this.#deps.log.debug({ object: key, ...factsOf(error) }, 'a write failed, trying again')
    return this.#backoff.delayMs(this.#deps.clock.monotonicMs(), atLeastMs)
  }
}

interface DuePatch<T extends KubernetesObject> {
  readonly patch: PlannedPatch
  /** What it was computed from. */
  readonly object: T
}

function pathOf(key: string, resource: Resource, target: WriteTarget): string {
  const { namespace, name } = requestOf(key)
  const path = `${collectionPath(resource, namespace === '' ? undefined : namespace)}/${encodeURIComponent(name)}`
  return target === 'status' ? `${path}/status` : path
}

function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  return error instanceof RamjetError ? { code: error.code, detail: messageOf(error) } : { err: error }
}
