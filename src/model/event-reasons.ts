// What Events say beside the warning or the decision that they tell of (R13-10, R30-25).
import type { Severity, WarningReason } from './warning.ts'

/** What was done when it came up: one fixed verb for each reason. */
export type EventAction = 'Claim' | 'Read' | 'Watch' | 'Check' | 'Write' | 'Publish' | 'Pin' | 'Resume' | 'Compile'

/** Reasons of Events that are about a decision or an outcome, and not about what an object holds. */
export type DecisionReason = 'Accepted' | 'ConfigApplied' | 'ConfigRejected' | 'ConfigPinned' | 'ConfigResumed'

export interface DecisionFacts {
  readonly severity: Severity
  readonly action: EventAction
}

export const DECISION_REASONS: Readonly<Record<DecisionReason, DecisionFacts>> = {
  Accepted: { severity: 'Normal', action: 'Claim' },
  ConfigApplied: { severity: 'Normal', action: 'Publish' },
  ConfigRejected: { severity: 'Warning', action: 'Publish' },
  ConfigPinned: { severity: 'Normal', action: 'Pin' },
  ConfigResumed: { severity: 'Normal', action: 'Resume' },
}

/** Of the reasons that a compile does not raise, or raises before it compiles. */
const ACTIONS: ReadonlyMap<WarningReason, EventAction> = new Map<WarningReason, EventAction>([
  ['InvalidParameters', 'Claim'],
  ['UndecodableObject', 'Read'],
  ['InvalidObject', 'Read'],
  ['OperatorConfigInvalid', 'Read'],
  ['TooManyReferences', 'Watch'],
  ['CertificateExpiring', 'Check'],
  ['CertificateExpired', 'Check'],
  ['ObservedGenerationContested', 'Write'],
])

/** The verb of an Event about a warning. */
export function actionOf(reason: WarningReason): EventAction {
  return ACTIONS.get(reason) ?? 'Compile'
}
