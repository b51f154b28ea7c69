// One written path and its type -> how it is matched (R10-15 to R10-25).
import { type Groups, NO_GROUPS } from '../annotations/templates.ts'
import { compilePattern } from '../lib/regex.ts'
import { canonicalPath } from '../lib/request-path.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { DeclaredPathType, PathMatch } from '../model/route-table.ts'

export interface ReadPath {
  readonly match: PathMatch
  /** As written, in canonical form. */
  readonly path: string
  readonly pathType: DeclaredPathType
  /** What a pattern counts towards the bound of its host; 0 for anything else. */
  readonly instructions: number
  /** What a target may name. */
  readonly groups: Groups
}

export interface PathFault {
  readonly reason: 'InvalidPath' | 'InvalidRegex' | 'RegexTooLarge'
  /** Part of a sentence that begins with the path. */
  readonly message: string
}

/** A path with one of these is a pattern; a dot alone makes none (R10-20). */
const PATTERN_CHARACTERS = /[\^$*+?()[\]{}|\\]/

/** The type that a text declares; `undefined` for a text that is none. No text at all is ImplementationSpecific. */
export function parsePathType(text: string | undefined): DeclaredPathType | undefined {
  switch (text) {
    case 'Exact':
    case 'Prefix':
    case 'ImplementationSpecific':
      return text
    case undefined:
    case '':
      return 'ImplementationSpecific'
    default:
      return undefined
  }
}

/**
 * How a path is matched, or why it never can be. An empty path is `/` (R10-19). `useRegex` says what a path without type
 * of its own is; `undefined`: its characters do (R11-45).
 */
export function readPath(written: string, pathType: DeclaredPathType, useRegex?: boolean): Result<ReadPath, PathFault> {
  const text = written === '' ? '/' : written
  switch (pathType) {
    case 'Exact':
    case 'Prefix':
      return readLiteral(text, pathType)
    case 'ImplementationSpecific':
    case 'RegularExpression':
      return readFree(text, useRegex)
  }
}

function readFree(text: string, useRegex: boolean | undefined): Result<ReadPath, PathFault> {
  if (useRegex === false) return readLiteral(text, 'ImplementationSpecific')
  const unanchored = text.startsWith('^') ? text.slice(1) : text
  const isPattern = useRegex === true || PATTERN_CHARACTERS.test(unanchored)
  if (!isPattern) return readLiteral(unanchored, 'ImplementationSpecific')
  if (!unanchored.startsWith('/')) return err({ reason: 'InvalidPath', message: 'does not begin with "/"' })
  const pattern = compilePattern(unanchored)
  if (!pattern.ok) {
    const { kind, message } = pattern.error
    return err({ reason: kind === 'invalid' ? 'InvalidRegex' : 'RegexTooLarge', message })
  }
  const { instructions, groups: count, names } = pattern.value
  const match = { type: 'Regex', pattern: unanchored } as const
  return ok({
    match,
    path: unanchored,
    pathType: 'ImplementationSpecific',
    instructions,
    groups: { count, names },
  })
}

function readLiteral(text: string, pathType: DeclaredPathType): Result<ReadPath, PathFault> {
  const canonical = canonicalPath(text)
  if (!canonical.ok) return err({ reason: 'InvalidPath', message: canonical.error })
  const path = canonical.value
  const match: PathMatch =
    pathType === 'Exact' ? { type: 'Exact', value: path } : { type: 'Prefix', value: withoutLastSlash(path) }
  return ok({ match, path, pathType, instructions: 0, groups: NO_GROUPS })
}

function withoutLastSlash(path: string): string {
  return path.endsWith('/') ? path.slice(0, -1) : path
}
