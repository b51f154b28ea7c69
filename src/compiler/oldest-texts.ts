import { findAnnotation } from '../annotations/registry.ts'
import { BACKEND_PROTOCOL, protocolOf } from '../annotations/upstream-security.ts'
import { nameOf } from './conflicts.ts'
import type { Contribution } from './contribution.ts'
import type { Finding } from './finding.ts'

/** What several objects say about one thing: each key as its oldest object has it (R11-15). */
export interface OldestTexts {
  readonly texts: ReadonlyMap<string, string>
  /** By key the object that holds it. */
  readonly holders: ReadonlyMap<string, Contribution>
  readonly findings: readonly Finding[]
}

/** `contributions` are in order of age; `place` is what they share, for what the younger ones are told. */
export function oldestTexts(
  contributions: readonly Contribution[],
  textsOf: (contribution: Contribution) => ReadonlyMap<string, string>,
  place: string,
): OldestTexts {
  const texts = new Map<string, string>()
  const holders = new Map<string, Contribution>()
  const findings: Finding[] = []
  for (const by of contributions) {
    for (const [key, text] of textsOf(by)) {
      const holder = holders.get(key)
      if (holder) {
        if (!saysTheSame(key, texts.get(key) ?? '', text)) findings.push(conflict(key, place, by, holder))
      } else {
        texts.set(key, text)
        holders.set(key, by)
      }
    }
  }
  return { texts, holders, findings }
}

function saysTheSame(key: string, a: string, b: string): boolean {
  if (key === BACKEND_PROTOCOL) return protocolOf(a) === protocolOf(b)
  return a === b || (findAnnotation(key)?.type === 'bool' && a.toLowerCase() === b.toLowerCase())
}

function conflict(key: string, place: string, loser: Contribution, holder: Contribution): Finding {
  const reason = key === BACKEND_PROTOCOL ? 'BackendProtocolConflict' : 'AnnotationConflict'
  const found = `${key} of ${place} is set to something else by ${nameOf(holder.object)}`
  return { reason, object: loser.object, field: key, found, effect: 'the older value holds' }
}
