import { at, type Decode, decoder } from '../api/decode.ts'
import { readMeta } from '../api/decode-meta.ts'
import type { KubernetesObject } from '../api/meta.ts'
import { type JsonRecord, recordOf } from '../lib/json-record.ts'
import { contentChangedBut, type Predicate } from '../runtime/predicate.ts'

/** A ClassParameters object as the cache holds it: checked by nobody yet. */
export interface StoredParameters extends KubernetesObject {
  /** Of any shape: an API server whose schema is another one stored it (R50-16). */
  readonly spec: unknown
  /** As it was written last, by us or by anybody. */
  readonly status: JsonRecord
}

/** Reads a ClassParameters object of ramjet.dev/v1alpha1. */
export const decodeClassParameters: Decode<StoredParameters> = decoder((raw) => ({
  metadata: readMeta(raw),
  spec: at(raw, 'spec').value ?? {},
  status: recordOf(at(raw, 'status').value),
}))

/** True unless nothing changed but the status, which we write ourselves. */
export const specChanged: Predicate<StoredParameters> = contentChangedBut(({ metadata, spec }) => ({ metadata, spec }))
