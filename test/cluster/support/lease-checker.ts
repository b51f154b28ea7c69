// Reads from the API server's own audit log who wrote when, and whether he held the Lease: no clock of a replica is
// believed, and none of ours.
import { type AuditEvent, auditEvents } from './audit.ts'

/** A request that changed something. */
export interface Change {
  readonly user: string
  readonly what: 'lease' | 'object'
  readonly atMs: number
}

export interface LeaseReport {
  /** Users that wrote onto objects, each once. */
  readonly writers: readonly string[]
  /** How often the Lease changed hands. */
  readonly handOvers: number
  /** Writes of somebody who did not hold the Lease when they came, or held it for longer than he may without renewing. */
  readonly unlawful: readonly string[]
}

/** Judges every write that the API server carried out for `users`; `renewMs` is their renew deadline. */
export function checkLease(auditLog: string, users: readonly string[], renewMs: number): LeaseReport {
  const writers = new Set<string>()
  const unlawful: string[] = []
  let holder: Change | undefined
  let handOvers = 0
  for (const change of changesOf(auditLog, users)) {
    if (change.what === 'lease') {
      if (holder && holder.user !== change.user) handOvers += 1
      holder = change
      continue
    }
    writers.add(change.user)
    const sinceMs = change.atMs - (holder?.atMs ?? Number.NEGATIVE_INFINITY)
    if (holder?.user !== change.user) unlawful.push(`${change.user} wrote while ${holder?.user} held the Lease`)
    else if (sinceMs > renewMs) unlawful.push(`${change.user} wrote ${Math.round(sinceMs)} ms after its last renewal`)
  }
  return { writers: [...writers], handOvers, unlawful }
}

function changesOf(auditLog: string, users: readonly string[]): readonly Change[] {
  const changes = auditEvents(auditLog, users).flatMap(changeOf)
  return changes.filter(({ user }) => users.includes(user)).toSorted((a, b) => a.atMs - b.atMs)
}

function changeOf(event: AuditEvent): readonly Change[] {
  const { verb, requestURI, user, responseStatus, requestReceivedTimestamp } = event
  if (!/^(create|update|patch)$/.test(verb) || (responseStatus?.code ?? 500) > 299) return []
  if (!/\/(leases|ingresses|events)\b/.test(requestURI)) return []
  const what = requestURI.includes('/leases') ? 'lease' : 'object'
  return [{ user: user.username, what, atMs: Date.parse(requestReceivedTimestamp) }]
}
