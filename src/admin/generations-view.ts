// What is kept and what became of it -> the document of GET /admin/generations.
import { diffDocument } from '../generations/audit-record.ts'
import type { HistoryRecord } from '../generations/history.ts'
import type { Pair } from '../model/generation.ts'
import { countsOf, summaryOf } from '../model/generation-diff.ts'

export interface GenerationsSource {
  /** `undefined`: nothing is served yet. */
  readonly pair: Pair | undefined
  /** Number of the generation that a pin holds. */
  readonly pinned: number | undefined
  /** Newest first. */
  readonly history: readonly HistoryRecord[]
}

/** The document, version 1: newest first (R32-13). */
export function generationsView({ pair, pinned, history }: GenerationsSource): unknown {
  return {
    version: 1,
    serving: pair?.generation.number ?? 0,
    endpointsVersion: pair?.endpoints.version ?? 0,
    pinned: pinned ?? null,
    generations: history.map(recordView),
  }
}

function recordView({
  number,
  previous,
  digest,
  routes,
  hosts,
  certificates,
  diff,
  atMs,
  outcome,
}: HistoryRecord): unknown {
  return {
    generation: number,
    applied_at: new Date(atMs).toISOString(),
    published: outcome.kind === 'applied',
    rejected: outcome.kind === 'rejected' ? `${outcome.reason}: ${outcome.message}` : null,
    digest,
    routes,
    hosts,
    certs: certificates,
    diff: diffDocument(diff, summaryOf(countsOf(diff), previous, number)),
  }
}
