// What a stage found about an object, before the findings of all stages become warnings (warnings.ts).
import type { ObjectRef } from '../model/object-ref.ts'
import type { Channel, WarningReason } from '../model/warning.ts'

export interface Finding {
  readonly reason: WarningReason
  readonly object: ObjectRef
  /** With indexes: `spec.rules[0].http.paths[1].path`. */
  readonly field: string
  /** The first half of the sentence: what was found. */
  readonly found: string
  /** The second half: what Ramjet does instead. The same for every finding of the reason. */
  readonly effect: string
  /** If not where the reason is usually told. */
  readonly channel?: Channel
}

/**
 * What a stage has to say about the parts that it worked on: an owner (one Ingress, one host, one backend) to all that
 * is found there now. An owner without an entry was not touched and keeps its findings.
 */
export type Notes = ReadonlyMap<string, readonly Finding[]>

const MAX_QUOTED = 100

/** Text from outside, fit for a message: in quotes, control characters escaped, at most 100 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}...` : text)
}
