import type { Pair, PublishFailure } from '../model/generation.ts'
import type { Logger } from '../observability/log.ts'

/** What became of one result of the compiler. */
export type PublishReport =
  /** Both digests are those that serve. */
  | { readonly kind: 'unchanged' }
  /** A newer result came before this one's turn. */
  | { readonly kind: 'superseded' }
  /** Every worker serves `pair`; `durationMs` since the event was received. */
  | {
      readonly kind: 'applied'
      readonly what: 'generation' | 'endpoints'
      readonly pair: Pair
      readonly durationMs: number
    }
  /** What served before serves on. */
  | {
      readonly kind: 'refused'
      readonly what: 'generation' | 'endpoints'
      readonly reason: PublishFailure
      readonly message: string
    }

export type RefusedReport = Extract<PublishReport, { readonly kind: 'refused' }>

interface Reason {
  readonly reason: PublishFailure
  readonly message: string
}

export function reasonOf({ reason, message }: Reason): Reason {
  return { reason, message }
}

/** Writes down how long it took; what changed is told by the audit record (R32-23). */
export function logReport(log: Logger, report: PublishReport): void {
  switch (report.kind) {
    case 'applied': {
      const { generation, endpoints } = report.pair
      const { what, durationMs } = report
      const fields = { what, generation: generation.number, endpointsVersion: endpoints.version, durationMs }
      log.debug(fields, 'every worker serves it')
      break
    }
    case 'refused':
      log.error({ what: report.what, reason: report.reason, detail: report.message }, 'publish refused')
      break
    case 'unchanged':
    case 'superseded':
      break
  }
}
