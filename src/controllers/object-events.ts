// Which Events are written about objects: by change of an object's set of warnings (R30-26), and for claimed classes.
import type { KubernetesObject } from '../api/meta.ts'
import { actionOf, DECISION_REASONS, type DecisionReason } from '../model/event-reasons.ts'
import { keyOf, type ObjectRef } from '../model/object-ref.ts'
import { WARNING_REASONS, type Warning } from '../model/warning.ts'
import type { EventInput, EventSubject } from '../runtime/event-recorder.ts'
import type { Lister } from '../runtime/lister.ts'

/** Where objects of a kind are found that Events are about. */
export interface SubjectKind {
  /** `networking.k8s.io/v1`. */
  readonly apiVersion: string
  readonly lister: Pick<Lister<KubernetesObject>, 'get'>
}

export interface ObjectEventsDeps {
  readonly record: (event: EventInput) => void
  /** By kind: `Ingress`. About objects of other kinds nothing is written. */
  readonly kinds: ReadonlyMap<string, SubjectKind>
}

/** The sentences about one object, by reason. */
type Notes = ReadonlyMap<Warning['reason'], string>

/** Tells what is new about objects while this replica leads; everything there is when it begins to. */
export class ObjectEvents {
  readonly #deps: ObjectEventsDeps
  #warnings: readonly Warning[] = []
  #isLeading = false
  /** By object, what was told. */
  #told: ReadonlyMap<string, Notes> = new Map()
  /** UIDs of the classes of which it was told that they are ours. */
  readonly #accepted = new Set<string>()
  #classes: readonly string[] = []

  constructor(deps: ObjectEventsDeps) {
    this.#deps = deps
  }

  begin(): void {
    this.#isLeading = true
    this.#told = new Map()
    this.#accepted.clear()
    this.#tell()
    this.#accept()
  }

  end(): void {
    this.#isLeading = false
  }

  /** Takes all warnings there are now. */
  update(warnings: readonly Warning[]): void {
    this.#warnings = warnings
    if (this.#isLeading) this.#tell()
  }

  /** Takes the names of the IngressClasses that are served now. */
  claimed(classes: readonly string[]): void {
    this.#classes = classes
    if (this.#isLeading) this.#accept()
  }

  /** An Event about each of our classes. */
  ofClasses(reason: DecisionReason, note: string): void {
    if (!this.#isLeading) return
    for (const name of this.#classes) this.#decided(reason, { kind: 'IngressClass', namespace: '', name }, note)
  }

  #tell(): void {
    const now = new Map<string, Notes>()
    for (const [object, warnings] of Map.groupBy(this.#warnings.filter(isEvent), objectKey)) {
      const [first] = warnings
      const notes = notesOf(warnings)
      now.set(object, notes)
      if (first) this.#tellOf(first.object, notes, this.#told.get(object))
    }
    this.#told = now
  }

  #tellOf(object: ObjectRef, notes: Notes, told: Notes | undefined): void {
    for (const [reason, note] of notes) {
      if (told?.get(reason) === note) continue
      const { severity: type } = WARNING_REASONS[reason]
      this.#record(object, { type, reason, action: actionOf(reason), note })
    }
  }

  #accept(): void {
    for (const name of this.#classes) {
      const uid = this.#deps.kinds.get('IngressClass')?.lister.get(name)?.metadata.uid
      if (uid === undefined || this.#accepted.has(uid)) continue
      this.#accepted.add(uid)
      this.#decided(
        'Accepted',
        { kind: 'IngressClass', namespace: '', name },
        'Ramjet serves the Ingresses of this class',
      )
    }
  }

  #decided(reason: DecisionReason, object: ObjectRef, note: string): void {
    const { severity: type, action } = DECISION_REASONS[reason]
    this.#record(object, { type, reason, action, note })
  }

  #record(object: ObjectRef, event: Omit<EventInput, 'regarding'>): void {
    const regarding = this.#subjectOf(object)
    if (regarding) this.#deps.record({ ...event, regarding })
  }

  /** `undefined`: nobody can be told, because the object is gone or of a kind that is not the API server's. */
  #subjectOf({ kind, namespace, name }: ObjectRef): EventSubject | undefined {
    const known = this.#deps.kinds.get(kind)
    const uid = known?.lister.get(keyOf({ namespace, name }))?.metadata.uid
    if (!known || uid === undefined) return undefined
    return { apiVersion: known.apiVersion, kind, name, uid, ...(namespace === '' ? {} : { namespace }) }
  }
}

function isEvent({ reason, channel }: Warning): boolean {
  return (channel ?? WARNING_REASONS[reason].channel) === 'event'
}

function objectKey({ object }: Warning): string {
  return `${object.kind} ${keyOf(object)}`
}

/** Several findings of one reason are one Event, which has room for them all. */
function notesOf(warnings: readonly Warning[]): Notes {
  const byReason = Map.groupBy(warnings, ({ reason }) => reason)
  return new Map([...byReason].map(([reason, all]) => [reason, all.map(({ message }) => message).join('. ')]))
}
