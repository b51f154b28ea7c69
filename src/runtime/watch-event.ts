import { type JsonRecord, recordOf } from '../lib/json-record.ts'
import { ApiAnswerError, type ApiStatusError } from './api-errors.ts'
import { errorFromStatus } from './api-status.ts'

/** One line of a watch. `resourceVersion` is where a watch that breaks after it begins again. */
export type WatchEvent =
  | { readonly type: 'set'; readonly raw: unknown; readonly resourceVersion: string | undefined }
  | { readonly type: 'deleted'; readonly raw: unknown; readonly resourceVersion: string | undefined }
  | { readonly type: 'bookmark'; readonly resourceVersion: string | undefined }
  | { readonly type: 'error'; readonly error: ApiStatusError }

/** Reads one line of a watch. Throws `ApiAnswerError` where it is none. */
export function parseWatchLine(line: string): WatchEvent {
  const { type, object } = parseLine(line)
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
      return { type: 'set', raw: object, resourceVersion: versionOf(object) }
    case 'DELETED':
      return { type: 'deleted', raw: object, resourceVersion: versionOf(object) }
    case 'BOOKMARK':
      return { type: 'bookmark', resourceVersion: versionOf(object) }
    case 'ERROR':
      return { type: 'error', error: errorFromStatus(object) }
    default:
      throw new ApiAnswerError('the watch sent an event of an unknown type')
  }
}

/** `metadata.resourceVersion` of a raw object or list; `undefined` where it has none. */
export function versionOf(raw: unknown): string | undefined {
  const version = metadataOf(raw)['resourceVersion']
  return typeof version === 'string' && version !== '' ? version : undefined
}

/** The metadata of a raw object or list, or an empty record. */
export function metadataOf(raw: unknown): JsonRecord {
  return recordOf(recordOf(raw)['metadata'])
}

function parseLine(line: string): JsonRecord {
  try {
    return recordOf(JSON.parse(line))
  } catch (cause) {
    throw new ApiAnswerError('the watch sent a line that is no JSON', { cause })
  }
}
