// The value types of annotations, as text is read for them.

/** Reports whether a value reads as absent: nothing but blanks (R11-7). */
export function isBlank(value: string): boolean {
  return value.trim() === ''
}

/** `true` or `false`, trimmed, in any case; `undefined` for everything else. */
export function parseBool(value: string): boolean | undefined {
  switch (value.trim().toLowerCase()) {
    case 'true':
      return true
    case 'false':
      return false
    default:
      return undefined
  }
}
