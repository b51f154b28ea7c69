import type { DataObject } from './core.ts'
import { at, type Decode, decoder, optional, readString, readTexts } from './decode.ts'
import { readIdentity } from './decode-meta.ts'

const ALL: ReadonlySet<string> = new Set()

/** Reads a Secret for TLS: of what it holds the pair alone. */
export const decodeTlsSecret: Decode<DataObject> = decoder((raw) => {
  const data = at(raw, 'data')
  const pair =
    data.value === undefined
      ? {}
      : { ...optional(data, 'tls.crt', readString), ...optional(data, 'tls.key', readString) }
  return { metadata: readIdentity(at(raw, 'metadata')), ...optional(raw, 'type', readString), data: pair }
})

/** Reads a Secret or a ConfigMap of core/v1; what a ConfigMap holds as bytes stays in base64, beside its texts. */
export const decodeDataObject: Decode<DataObject> = decoder((raw) => ({
  metadata: readIdentity(at(raw, 'metadata')),
  ...optional(raw, 'type', readString),
  data: {
    ...optional(raw, 'data', (data) => readTexts(data, ALL)).data,
    ...optional(raw, 'binaryData', (data) => readTexts(data, ALL)).binaryData,
  },
}))
