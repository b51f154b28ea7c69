import type { DataObject } from './core.ts'
import { at, type Decode, decoder, optional, readString, readTexts } from './decode.ts'
import { readIdentity } from './decode-meta.ts'

const ALL: ReadonlySet<string> = new Set()

/** Reads a Secret or a ConfigMap of core/v1; what a ConfigMap holds as bytes stays in base64, beside its texts. */
export const decodeDataObject: Decode<DataObject> = decoder((raw) => ({
  metadata: readIdentity(at(raw, 'metadata')),
  ...optional(raw, 'type', readString),
  data: {
    ...optional(raw, 'data', (data) => readTexts(data, ALL)).data,
    ...optional(raw, 'binaryData', (data) => readTexts(data, ALL)).binaryData,
  },
}))
