import type { DecodeFault } from '../api/decode.ts'
import { metadataOf } from './watch-event.ts'

/** An object of the API server that could not be read and is left out (R50-3). */
export interface MalformedObject {
  /** Empty where the object is cluster-scoped or tells none. */
  readonly namespace: string
  /** Empty where not even that could be read. */
  readonly name: string
  readonly fault: DecodeFault
}

export function malformedObject(raw: unknown, fault: DecodeFault): MalformedObject {
  const { namespace, name } = metadataOf(raw)
  return { namespace: textOf(namespace), name: textOf(name), fault }
}

/** The key under which the store would hold `raw`; empty where it has no name. */
export function rawKey(raw: unknown): string {
  const { namespace, name } = metadataOf(raw)
  return namespace === undefined ? textOf(name) : `${textOf(namespace)}/${textOf(name)}`
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
