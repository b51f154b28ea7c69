/** What is wrong with a file, and where (R20-176). */
export interface FileFault {
  /** Counted from 1. */
  readonly line: number
  /** Such as `routes[2].path`; empty for the file as a whole. */
  readonly field: string
  readonly message: string
}

/** The line for people: `routes.yaml:12: routes[2].path: is missing`. */
export function formatFileFault(file: string, { line, field, message }: FileFault): string {
  return field === '' ? `${file}:${line}: ${message}` : `${file}:${line}: ${field}: ${message}`
}
