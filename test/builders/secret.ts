import type { DataObject } from '../../src/api/core.ts'
import { metaOf } from './meta.ts'

/** A Secret with these texts, in base64 as the API has them. */
export function secret(name: string, data: Readonly<Record<string, string>>, type = 'Opaque'): DataObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')] as const)
  return { metadata: metaOf(name), type, data: Object.fromEntries(encoded) }
}
