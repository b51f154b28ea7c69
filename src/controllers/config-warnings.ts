// What our classes are told while the operator's configuration cannot be used (R42-9).
import type { ObjectRef } from '../model/object-ref.ts'
import type { Warning } from '../model/warning.ts'
import { PROCESS } from './process-ref.ts'

/** One thing that is wrong with a file of the configuration. */
export interface ConfigProblem {
  readonly file: string
  /** Counted from 1. */
  readonly line: number
  /** Empty for the file as a whole. */
  readonly field: string
  readonly message: string
  /** How many this one stands for; one where it is absent. */
  readonly count?: number
}

/** A warning for each of our classes, or for the process where there is none; none where nothing is wrong. */
export function configWarnings(problems: readonly ConfigProblem[], classes: readonly ObjectRef[]): readonly Warning[] {
  const [first, ...others] = problems
  if (first === undefined) return []
  const { file, line, field, message } = first
  const what = field === '' ? message : `${field} ${message}`
  const left = others.reduce((sum, { count = 1 }) => sum + count, 0)
  const more = left === 0 ? '' : `, and ${left} more`
  const warning = {
    reason: 'OperatorConfigInvalid',
    field: `${file}:${line}`,
    message: `${what}${more}; the configuration that was read before stays`,
  } as const
  return (classes.length === 0 ? [PROCESS] : classes).map((object) => ({ ...warning, object }))
}
