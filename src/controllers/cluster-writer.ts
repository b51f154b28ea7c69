// Everything that this program writes to the cluster, by the one replica that leads (R30-29 to R30-45).
import type { Ingress } from '../api/networking.ts'
import type { CompileResult } from '../compiler/result.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { DecisionReason } from '../model/event-reasons.ts'
import type { Warning } from '../model/warning.ts'
import type { Logger } from '../observability/log.ts'
import type { WritingFigures } from '../observability/writing-figures.ts'
import { aborted } from '../runtime/aborted.ts'
import type { ApiReader, ApiWriter } from '../runtime/client.ts'
import { type Leadership, NotLeadingError, type Term } from '../runtime/leader-election.ts'
import { Manager, type Runnable } from '../runtime/manager.ts'
import { type ObjectEvent, objectKey } from '../runtime/object-event.ts'
import { TokenBucket } from '../runtime/token-bucket.ts'
import { waitFor } from '../runtime/wait.ts'
import type { AddressSource } from './address-source.ts'
import { ClusterEvents } from './cluster-events.ts'
import type { ClusterCaches } from './cluster-source.ts'
import { clearing, isLastReplica } from './last-replica.ts'
import { LeftIngresses } from './left-ingresses.ts'
import type { ObservedGenerationMode } from './observed-generations.ts'
import type { OwnPods } from './own-pods.ts'
import type { ServedGeneration } from './parameters-status.ts'
import type { Numbering } from './tenure.ts'
import { createTermWriters, type TermWriters, type WrittenKind } from './term-writers.ts'
import type { Tunables } from './tunables.ts'
import { ingressChanged } from './written-fields.ts'

/** Who decides whether this replica writes, running beside what it decides about. */
export interface Elector extends Leadership, Runnable {
  /** Has the next leader told of something; nothing where there is no Lease. */
  note(annotation: string, value: string): void
}

export interface ClusterWriterSettings {
  /** False: nothing is written onto Ingresses (`--no-status-update`). */
  readonly writesStatus: boolean
  readonly observedGeneration: ObservedGenerationMode
  /** Whether only some namespaces are watched, in each of which a Role grants what is done there (R50-21). */
  readonly isNarrowed: boolean
  /** Whether the last replica takes its addresses with it (`--update-status-on-shutdown`). */
  readonly clearsOnShutdown: boolean
  /** Name of this pod. */
  readonly podName: string
  /** Address of this pod; `undefined`: not known. */
  readonly podIp: string | undefined
}

export interface ClusterWriterDeps {
  readonly client: ApiReader & ApiWriter
  /** Makes who elects, told where a term is to begin; `undefined`: this replica never writes. */
  readonly elector: ((onLead: (term: Term) => void) => Elector) | undefined
  readonly addresses: AddressSource
  /** `undefined`: nobody has to know. */
  readonly pods: OwnPods | undefined
  readonly caches: ClusterCaches
  readonly numbering: Numbering
  /** What every worker serves; `undefined`: nothing yet. */
  readonly served: () => ServedGeneration | undefined
  readonly settings: ClusterWriterSettings
  readonly tunables: Tunables
  /** Told when `warnings()` says something else. */
  readonly onWarnings: () => void
  /** Called when everything has ended. */
  readonly close: () => Promise<void>
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

const STOP_MS = 2000

/** Joins election, Events and what is written onto Ingresses; does nothing before `start`. */
export class ClusterWriter {
  readonly #deps: ClusterWriterDeps
  readonly #manager: Manager
  readonly #elector: Elector | undefined
  readonly #electing = new AbortController()
  readonly #bucket: TokenBucket
  readonly #events: ClusterEvents
  readonly #left = new LeftIngresses()
  /** Writes that the API server refused, ever. */
  readonly #refused = new Map<WrittenKind, number>([
    ['Ingress', 0],
    ['ClassParameters', 0],
  ])
  readonly #firstCompile = Promise.withResolvers<void>()
  #elected: Promise<void> = Promise.resolve()
  #compiled: CompileResult | undefined
  /** Of the term that began last. */
  #writers: TermWriters | undefined
  /** Resolves when the term before has ended: the next one begins after it. */
  #ended: Promise<void> = Promise.resolve()
  #isLeaving = false
  #isHalted = false

  constructor(deps: ClusterWriterDeps) {
    const { clock, timers, tunables, log } = deps
    this.#deps = deps
    this.#manager = new Manager({ timers, stopMs: STOP_MS, log })
    this.#bucket = new TokenBucket({
      perSecond: tunables.writesPerSecond,
      burst: tunables.writeBurst,
      clock,
      timers,
    })
    this.#events = new ClusterEvents({
      ...deps,
      bucket: this.#bucket,
      check: this.#check,
      podName: deps.settings.podName,
      forbiddenMs: tunables.forbiddenWriteMs,
    })
    this.#elector = deps.elector?.((term) => this.#lead(term))
    deps.caches.ingresses.addHandler((event) => this.#ingressChanged(event))
    deps.addresses.onChange(() => this.#writers?.tenure.lookAtAll())
    for (const read of [deps.addresses, deps.pods]) read?.onStatus(deps.onWarnings)
    deps.caches.classParameters.addHandler(({ object }) => this.#writers?.parameters.look(objectKey(object)))
  }

  start(): void {
    const { addresses, pods } = this.#deps
    if (!this.#elector) return
    for (const part of [...(pods ? [pods.part] : []), ...addresses.parts]) this.#manager.start(part)
    this.#elected = this.#elector.run(this.#electing.signal)
  }

  /** Takes what was compiled, after it was numbered. */
  compiled(result: CompileResult): void {
    const { lister } = this.#deps.caches.ingresses
    const leaving = this.#left.compiled(result.claimed, (key) => lister.get(key) !== undefined)
    this.#compiled = result
    for (const key of leaving) this.#writers?.tenure.look(key)
    this.#events.compiled(result)
    this.#firstCompile.resolve()
    this.#writers?.tenure.compiled()
    this.#lookAtParameters()
  }

  /** Every worker serves something else now. */
  published(): void {
    this.#lookAtParameters()
  }

  /** Takes all warnings there are now. */
  update(warnings: readonly Warning[]): void {
    this.#events.update(warnings)
  }

  /** An Event about each of our classes, if this replica leads. */
  classEvent({ reason, note }: { readonly reason: DecisionReason; readonly note: string }): void {
    this.#events.ofClasses(reason, note)
  }

  /** What writing itself found, and what keeps from being read what is to be written. */
  warnings(): readonly Warning[] {
    const { addresses, pods } = this.#deps
    return [...(this.#writers?.tenure.warnings() ?? []), ...addresses.warnings(), ...(pods?.warnings() ?? [])]
  }

  figures(): WritingFigures {
    return {
      isLeading: this.#elector?.isLeading ?? false,
      writeFailures: this.#refused,
      eventsDropped: this.#events.dropped,
    }
  }

  /** Stops to write, lets the write in hand end, and gives the lease back: the next leader may begin (R30-44). */
  async stop(): Promise<void> {
    await this.#leaveNothing()
    this.#isHalted = true
    this.#writers?.tenure.halt()
    this.#writers?.parameters.halt()
    await this.#within(this.#ended, this.#deps.tunables.stopWriteMs)
    this.#electing.abort(new Error('shutting down'))
    await this.#elected
    await this.#manager.stop()
    await this.#deps.close()
  }

  #lead(term: Term): void {
    const writers = this.#createWriters(term)
    this.#writers = writers
    this.#lookAtParameters()
    this.#ended = this.#ended.then(() => this.#serve(writers, term))
  }

  async #serve({ tenure, parameters }: TermWriters, { signal }: Term): Promise<void> {
    await Promise.race([this.#firstCompile.promise, aborted(signal)])
    if (!signal.aborted) await this.#events.begin(signal)
    if (signal.aborted) return
    const failed = (error: unknown): void => this.#deps.log.error({ err: error }, 'writing failed')
    await Promise.all([
      this.#deps.settings.writesStatus ? tenure.run().catch(failed) : undefined,
      parameters.run(signal).catch(failed),
    ])
  }

  #ingressChanged(event: ObjectEvent<Ingress>): void {
    const key = objectKey(event.object)
    const tenure = this.#writers?.tenure
    switch (event.type) {
      case 'added':
        tenure?.look(key)
        break
      case 'updated':
        tenure?.changed(key, {
          before: event.before,
          after: event.object,
          isEdited: ingressChanged(event),
        })
        break
      case 'deleted':
        this.#left.gone(key)
        tenure?.gone(key)
        break
    }
  }

  /** The last replica takes its addresses with it, where that is asked for (R30-38). */
  async #leaveNothing(): Promise<void> {
    const { settings, pods, timers, log } = this.#deps
    const tenure = this.#writers?.tenure
    if (!settings.clearsOnShutdown || !tenure || !this.#elector?.isLeading) return
    if (!isLastReplica(pods, settings.podIp, log)) return
    this.#isLeaving = true
    tenure.lookAtAll()
    await clearing(tenure, { timers, log })
  }

  async #within(work: Promise<void>, ms: number): Promise<void> {
    const done = new AbortController()
    void work.finally(() => done.abort())
    await waitFor(ms, this.#deps.timers, done.signal)
  }

  readonly #check = (): void => {
    if (this.#isHalted || !this.#elector?.mayWrite()) throw new NotLeadingError('this replica does not lead')
  }

  #lookAtParameters(): void {
    const all = this.#deps.caches.classParameters.lister.list()
    for (const object of all) this.#writers?.parameters.look(objectKey(object))
  }

  #createWriters(term: Term): TermWriters {
    const { observedGeneration: mode, isNarrowed } = this.#deps.settings
    return createTermWriters({
      ...this.#deps,
      term,
      mode,
      isNarrowed,
      compiled: () => this.#compiled,
      hasLeft: (key) => this.#left.has(key),
      isLeaving: () => this.#isLeaving,
      note: (annotation, value) => this.#elector?.note(annotation, value),
      bucket: this.#bucket,
      check: this.#check,
      onRefused: (kind) => this.#refused.set(kind, (this.#refused.get(kind) ?? 0) + 1),
    })
  }
}
