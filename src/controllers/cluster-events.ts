// The Events of this replica: what is to be told, and the one recorder that writes it while a term lasts.
import type { CompileResult } from '../compiler/result.ts'
import type { DecisionReason } from '../model/event-reasons.ts'
import type { Warning } from '../model/warning.ts'
import { EventRecorder, type EventRecorderDeps } from '../runtime/event-recorder.ts'
import type { ClusterCaches } from './cluster-source.ts'
import { ObjectEvents, type SubjectKind } from './object-events.ts'

export interface ClusterEventsDeps extends Omit<EventRecorderDeps, 'settings'> {
  /** Where the objects are that Events are about. */
  readonly caches: Pick<ClusterCaches, 'ingresses' | 'ingressClasses' | 'services' | 'classParameters'>
  /** Name of this pod. */
  readonly podName: string
  /** How long after a 403 nothing is written into that namespace. */
  readonly forbiddenMs: number
}

const REPORTING_CONTROLLER = 'ramjet.dev/ingress'
/** Events that may wait (R30-28). */
const EVENT_QUEUE = 1000

/** Takes in what there is at any time, and tells of it during a term alone (R30-29). */
export class ClusterEvents {
  readonly #recorder: EventRecorder
  readonly #events: ObjectEvents
  /** Resolves when the recorder of the term before has ended. */
  #recording: Promise<void> = Promise.resolve()

  constructor({ caches, podName, forbiddenMs, ...deps }: ClusterEventsDeps) {
    const reporter = { reportingController: REPORTING_CONTROLLER, reportingInstance: podName }
    const recorder = new EventRecorder({ ...deps, settings: { queueSize: EVENT_QUEUE, forbiddenMs, ...reporter } })
    this.#recorder = recorder
    this.#events = new ObjectEvents({ record: (event) => recorder.record(event), kinds: subjectsIn(caches) })
  }

  /** Events that were never written, ever. */
  get dropped(): number {
    return this.#recorder.dropped
  }

  /** Begins a term that `signal` ends: everything there is now is told once (R30-26). */
  async begin(signal: AbortSignal): Promise<void> {
    // What waited in the term before is forgotten before anything new is recorded.
    await this.#recording
    if (signal.aborted) return
    this.#recording = this.#recorder.run(signal)
    signal.addEventListener('abort', () => this.#events.end(), { once: true })
    this.#events.begin()
  }

  /** Takes what was compiled: the classes that are served. */
  compiled({ classes }: CompileResult): void {
    this.#events.claimed([...classes].flatMap(([name, { kind }]) => (kind === 'served' ? [name] : [])))
  }

  /** Takes all warnings there are now. */
  update(warnings: readonly Warning[]): void {
    this.#events.update(warnings)
  }

  /** An Event about each of our classes. */
  ofClasses(reason: DecisionReason, note: string): void {
    this.#events.ofClasses(reason, note)
  }
}

function subjectsIn({
  ingresses,
  ingressClasses,
  services,
  classParameters,
}: ClusterEventsDeps['caches']): ReadonlyMap<string, SubjectKind> {
  return new Map([
    ['Ingress', { apiVersion: 'networking.k8s.io/v1', lister: ingresses.lister }],
    ['IngressClass', { apiVersion: 'networking.k8s.io/v1', lister: ingressClasses.lister }],
    ['Service', { apiVersion: 'v1', lister: services.lister }],
    ['ClassParameters', { apiVersion: 'ramjet.dev/v1alpha1', lister: classParameters.lister }],
  ])
}
