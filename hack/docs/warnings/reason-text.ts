import type { WarningReason } from '../../../src/model/warning.ts'

/** What docs/warnings.md says about one reason. */
export interface ReasonText {
  /** The kind of the object that is told. */
  readonly object: string
  readonly field: string
  /** Where it is told, where that hangs on more than the reason; absent: as the reason says. */
  readonly told?: string
  /** What was found. */
  readonly found: string
  /** What Ramjet does instead. */
  readonly effect: string
  /** How its author mends it. */
  readonly mend: string
}

/** A text of what is no reason does not compile. */
export type ReasonTexts = Readonly<Partial<Record<WarningReason, ReasonText>>>
