// One record for each change of what is served, and its form for everybody who reads it (R30-21, R32-15).
import { countsOf, type DiffCounts, type GenerationDiff, summaryOf } from '../model/generation-diff.ts'

/** Those of this build (R32-16). */
export type AuditEvent = 'config' | 'pin' | 'resume' | 'rejected'

/** A change of the configuration; endpoints alone have no record (R32-16). */
export interface AuditRecord {
  readonly event: AuditEvent
  /** What was compiled, or what serves by a pin or its release. */
  readonly generation: number
  /** The one that `diff` is against: compiled before, or served before a pin or its release. */
  readonly previous: number
  readonly digest: string
  /** Whether every worker serves it. */
  readonly published: boolean
  readonly diff: GenerationDiff
  /** Why it was refused; absent: it was not. */
  readonly reason?: string
}

/** What a record changed, in one line. */
export function summaryOfRecord({ diff, previous, generation }: AuditRecord): string {
  return summaryOf(countsOf(diff), previous, generation)
}

/** The record with a number for each list: what the log has. */
export function auditFields(record: AuditRecord): Readonly<Record<string, unknown>> {
  const { event, generation, published, reason } = record
  const fields = { event, generation, published, summary: summaryOfRecord(record), ...countFields(record) }
  return reason === undefined ? fields : { ...fields, reason }
}

/** The whole record, lists included. */
export function auditDocument(record: AuditRecord): Readonly<Record<string, unknown>> {
  return { ...auditFields(record), diff: diffDocument(record.diff, summaryOfRecord(record)) }
}

/** A diff as it stands in documents: `diff` of `GET /admin/generations` and of the webhook. */
export function diffDocument(diff: GenerationDiff, summary: string): Readonly<Record<string, unknown>> {
  return {
    summary,
    routes_added: diff.routesAdded,
    routes_removed: diff.routesRemoved,
    backends_changed: diff.backendsChanged,
    hosts_added: diff.hostsAdded,
    hosts_removed: diff.hostsRemoved,
    certs_added: diff.certsAdded,
    certs_removed: diff.certsRemoved,
    certs_rotated: diff.certsRotated,
    mirrors_added: diff.mirrorsAdded,
    mirrors_removed: diff.mirrorsRemoved,
    policies_changed: diff.policiesChanged,
    default_backend_changed: diff.defaultBackendChanged,
  }
}

function countFields({ diff }: AuditRecord): Readonly<Record<string, number | boolean>> {
  const counts: DiffCounts = countsOf(diff)
  return {
    routes_added: counts.routesAdded,
    routes_removed: counts.routesRemoved,
    backends_changed: counts.backendsChanged,
    hosts_added: counts.hostsAdded,
    hosts_removed: counts.hostsRemoved,
    certs_added: counts.certsAdded,
    certs_removed: counts.certsRemoved,
    certs_rotated: counts.certsRotated,
    mirrors_added: counts.mirrorsAdded,
    mirrors_removed: counts.mirrorsRemoved,
    policies_changed: counts.policiesChanged,
    default_backend_changed: counts.defaultBackendChanged,
  }
}
