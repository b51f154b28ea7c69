/** A JSON object whose fields nobody has looked at yet. */
export type JsonRecord = Readonly<Record<string, unknown>>

/** Whether `value` is a JSON object: no list, and not null. */
export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `value`, or an object without fields where it is none: for fields that are read if they happen to be there. */
export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

/** The value of a JSON text; `undefined`: it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
