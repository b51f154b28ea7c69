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
import type { ApiReader, ApiWriter } from '../runtime/client.ts'
import { EventRecorder } from '../runtime/event-recorder.ts'
import { type Leadership, NotLeadingError, type Term } from '../runtime/leader-election.ts'
import { Manager, type Runnable } from '../runtime/manager.ts'
import { type ObjectEvent, objectKey } from '../runtime/object-event.ts'
import { TokenBucket } from '../runtime/token-bucket.ts'
import { waitFor } from '../runtime/wait.ts'
import type { AddressSource } from './address-source.ts'
import type { ClusterCaches } from './cluster-source.ts'
import { clearing, isLastReplica } from './last-replica.ts'
import { ObjectEvents } from './object-events.ts'
import type { ObjectWriter } from './object-writer.ts'
import type { ObservedGenerationMode } from './observed-generations.ts'
import type { OwnPods } from './own-pods.ts'
import { createParametersWriter, type ServedGeneration } from './parameters-status.ts'
import type { StoredParameters } from './stored-parameters.ts'
import { type Numbering, Tenure } from './tenure.ts'
import type { Tunables } from './tunables.ts'
import { ingressChanged } from './written-fields.ts'
import { addressPart } from './written-parts.ts'

/** Who decides whether this replica writes, running beside what it decides about. */
export interface Elector extends Leadership, Runnable {
  /** Has the next leader told of something; nothing where there is no Lease. */
  note(annotation: string, value: string): void
}

export interface ClusterWriterSettings {
  /** False: nothing is written onto Ingresses (`--no-status-update`). */
  readonly writesStatus: boolean
  readonly observedGeneration: ObservedGenerationMode
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

/** What writes during one term. */
interface Writers {
  readonly tenure: Tenure
  readonly parameters: ObjectWriter<StoredParameters>
}

const REPORTING_CONTROLLER = 'ramjet.dev/ingress'
/** Events that may wait (R30-28). */
const EVENT_QUEUE = 1000
const STOP_MS = 2000

/** Joins election, Events and what is written onto Ingresses; does nothing before `start`. */
export class ClusterWriter {
  readonly #deps: ClusterWriterDeps
  readonly #manager: Manager
  readonly #elector: Elector | undefined
  readonly #electing = new AbortController()
  readonly #bucket: TokenBucket
  readonly #recorder: EventRecorder
  readonly #events: ObjectEvents
  /** Ours at some time, and not any more. */
  readonly #left = new Set<string>()
  readonly #firstCompile = Promise.withResolvers<void>()
  #elected: Promise<void> = Promise.resolve()
  #compiled: CompileResult | undefined
  #tenure: Tenure | undefined
  #parameters: ObjectWriter<StoredParameters> | undefined
  /** Resolves when the term before has ended: the next one begins after it. */
  #ended: Promise<void> = Promise.resolve()
  #recording: Promise<void> = Promise.resolve()
  #isLeaving = false
  #isHalted = false
  #writeFailures = 0
  #parametersFailures = 0

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
    this.#recorder = this.#createRecorder()
    this.#events = this.#createEvents()
    this.#elector = deps.elector?.((term) => this.#lead(term))
    deps.caches.ingresses.addHandler((event) => this.#ingressChanged(event))
    deps.addresses.onChange(() => this.#tenure?.lookAtAll())
    deps.caches.classParameters.addHandler(({ object }) => this.#parameters?.look(objectKey(object)))
  }

  start(): void {
    const { addresses, pods } = this.#deps
    if (!this.#elector) return
    for (const part of [...(pods ? [pods.part] : []), ...addresses.parts]) this.#manager.start(part)
    this.#elected = this.#elector.run(this.#electing.signal)
  }

  /** Takes what was compiled, after it was numbered. */
  compiled(result: CompileResult): void {
    for (const key of this.#compiled?.claimed ?? []) if (!result.claimed.has(key)) this.#leave(key)
    for (const key of this.#left) if (result.claimed.has(key)) this.#left.delete(key)
    this.#compiled = result
    this.#events.claimed(servedClasses(result))
    this.#firstCompile.resolve()
    this.#tenure?.compiled()
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

  /** What writing itself found. */
  warnings(): readonly Warning[] {
    return this.#tenure?.warnings() ?? []
  }

  figures(): WritingFigures {
    return {
      isLeading: this.#elector?.isLeading ?? false,
      writeFailures: new Map([
        ['Ingress', this.#writeFailures],
        ['ClassParameters', this.#parametersFailures],
      ]),
      eventsDropped: this.#recorder.dropped,
    }
  }

  /** Stops to write, lets the write in hand end, and gives the lease back: the next leader may begin (R30-44). */
  async stop(): Promise<void> {
    await this.#leaveNothing()
    this.#isHalted = true
    this.#tenure?.halt()
    this.#parameters?.halt()
    await this.#within(this.#ended, this.#deps.tunables.stopWriteMs)
    this.#electing.abort(new Error('shutting down'))
    await this.#elected
    await this.#manager.stop()
    await this.#deps.close()
  }

  #lead(term: Term): void {
    const tenure = this.#createTenure(term)
    const parameters = this.#createParametersWriter()
    this.#tenure = tenure
    this.#parameters = parameters
    this.#lookAtParameters()
    this.#ended = this.#ended.then(() => this.#serve({ tenure, parameters }, term))
  }

  async #serve({ tenure, parameters }: Writers, { signal }: Term): Promise<void> {
    const over = aborted(signal)
    await Promise.race([this.#firstCompile.promise, over])
    if (signal.aborted) return
    // What waited in the term before is forgotten before anything new is recorded.
    await this.#recording
    this.#recording = this.#recorder.run(signal)
    this.#events.begin()
    void over.then(() => this.#events.end())
    const failed = (error: unknown): void => this.#deps.log.error({ err: error }, 'writing failed')
    await Promise.all([
      this.#deps.settings.writesStatus ? tenure.run().catch(failed) : undefined,
      parameters.run(signal).catch(failed),
    ])
  }

  #ingressChanged(event: ObjectEvent<Ingress>): void {
    const key = objectKey(event.object)
    switch (event.type) {
      case 'added':
        this.#tenure?.look(key)
        break
      case 'updated':
        this.#tenure?.changed(key, {
          before: event.before,
          after: event.object,
          isEdited: ingressChanged(event),
        })
        break
      case 'deleted':
        this.#left.delete(key)
        this.#tenure?.gone(key)
        break
    }
  }

  #leave(key: string): void {
    if (!this.#deps.caches.ingresses.lister.get(key)) return
    this.#left.add(key)
    this.#tenure?.look(key)
  }

  /** The last replica takes its addresses with it, where that is asked for (R30-38). */
  async #leaveNothing(): Promise<void> {
    const { settings, pods, timers, log } = this.#deps
    const tenure = this.#tenure
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

  #createRecorder(): EventRecorder {
    const { settings, tunables } = this.#deps
    return new EventRecorder({
      ...this.#deps,
      bucket: this.#bucket,
      check: this.#check,
      settings: {
        queueSize: EVENT_QUEUE,
        forbiddenMs: tunables.forbiddenWriteMs,
        reportingController: REPORTING_CONTROLLER,
        reportingInstance: settings.podName,
      },
    })
  }

  #createEvents(): ObjectEvents {
    const { ingresses, ingressClasses, services, classParameters } = this.#deps.caches
    return new ObjectEvents({
      record: (event) => this.#recorder.record(event),
      kinds: new Map([
        ['Ingress', { apiVersion: 'networking.k8s.io/v1', lister: ingresses.lister }],
        ['IngressClass', { apiVersion: 'networking.k8s.io/v1', lister: ingressClasses.lister }],
        ['Service', { apiVersion: 'v1', lister: services.lister }],
        ['ClassParameters', { apiVersion: 'ramjet.dev/v1alpha1', lister: classParameters.lister }],
      ]),
    })
  }

  #createParametersWriter(): ObjectWriter<StoredParameters> {
    const { caches, numbering, served, tunables } = this.#deps
    return createParametersWriter({
      ...this.#deps,
      lister: caches.classParameters.lister,
      compiled: () => this.#compiled,
      newest: () => numbering.newest(),
      served,
      bucket: this.#bucket,
      check: this.#check,
      settings: tunables,
      onRefused: () => {
        this.#parametersFailures += 1
      },
    })
  }

  #lookAtParameters(): void {
    for (const object of this.#deps.caches.classParameters.lister.list()) this.#parameters?.look(objectKey(object))
  }

  #createTenure(term: Term): Tenure {
    const { addresses, caches, settings, tunables } = this.#deps
    return new Tenure({
      ...this.#deps,
      term,
      lister: caches.ingresses.lister,
      compiled: () => this.#compiled,
      mode: settings.observedGeneration,
      contestWindowMs: tunables.contestWindowMs,
      addresses: addressPart({
        addresses: () => addresses.current(),
        claimed: () => this.#compiled?.claimed,
        wasClaimed: (key) => this.#left.has(key),
        classes: caches.ingressClasses.lister,
        isLeaving: () => this.#isLeaving,
      }),
      note: (annotation, value) => this.#elector?.note(annotation, value),
      bucket: this.#bucket,
      check: this.#check,
      settings: tunables,
      onRefused: () => {
        this.#writeFailures += 1
      },
    })
  }
}

function servedClasses({ classes }: CompileResult): readonly string[] {
  return [...classes].flatMap(([name, { kind }]) => (kind === 'served' ? [name] : []))
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  })
}
