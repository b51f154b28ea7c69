import type { WarningReason } from '../model/warning.ts'

/** What is said about one key. */
export interface AnnotationFinding {
  readonly reason: WarningReason
  /** With its prefix. */
  readonly key: string
  readonly found: string
  readonly effect: string
}
