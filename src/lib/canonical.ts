import { isRecord, type JsonRecord } from './json-record.ts'

/** What canonical JSON is made of. `undefined` fields are left out, as in JSON. */
export type Canonical =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly Canonical[]
  | { readonly [key: string]: Canonical }

/** JSON whose object keys are sorted, so that equal values have equal text: what a digest is taken over. */
export function canonicalJson(value: Canonical): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isRecord(inner) ? sorted(inner) : inner))
}

function sorted(record: JsonRecord): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}
