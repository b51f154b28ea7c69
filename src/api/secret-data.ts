import type { DataObject } from './core.ts'

/** What a Secret holds under `key`, each byte as one character; `undefined`: nothing, or no base64. */
export function secretText({ data }: DataObject, key: string): string | undefined {
  const encoded = Object.hasOwn(data, key) ? (data[key] ?? '') : ''
  try {
    return encoded === '' ? undefined : atob(encoded)
  } catch {
    return undefined
  }
}
