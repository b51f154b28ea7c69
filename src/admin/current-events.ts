import type { CurrentWarning } from '../observability/current-warnings.ts'
import type { AdminEvent } from './event-streams.ts'
import type { GenerationsSource } from './generations-view.ts'

export interface EventSources {
  readonly generations: () => GenerationsSource
  readonly warnings: () => readonly CurrentWarning[]
}

/** What `/admin/events` tells of: each event with what it is about as it is now. */
export function currentEvents({ generations, warnings }: EventSources): readonly AdminEvent[] {
  const { pair, pinned, history } = generations()
  const [newest] = history
  return [
    {
      event: 'generation',
      data: {
        serving: pair?.generation.number ?? 0,
        digest: pair?.generation.digest ?? null,
        newest: newest && { generation: newest.number, digest: newest.digest, outcome: newest.outcome.kind },
      },
    },
    {
      event: 'endpoints',
      data: { endpointsVersion: pair?.endpoints.version ?? 0, digest: pair?.endpoints.table.digest ?? null },
    },
    { event: 'pin', data: { pinned: pinned ?? null } },
    { event: 'warnings', data: warningsNow(warnings()) },
  ]
}

/** How many there are, by reason, and when the last one came: another one in the place of one is a change too. */
function warningsNow(warnings: readonly CurrentWarning[]): unknown {
  const since = warnings.reduce((newest, { sinceMs }) => Math.max(newest, sinceMs), 0)
  const last = warnings.length === 0 ? null : new Date(since).toISOString()
  return { total: warnings.length, reasons: countsOf(warnings), since: last }
}

function countsOf(warnings: readonly CurrentWarning[]): Readonly<Record<string, number>> {
  const byReason = Map.groupBy(warnings, ({ warning }) => warning.reason)
  const counts = [...byReason].map(([reason, of]): [string, number] => [reason, of.length])
  return Object.fromEntries(counts.toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
