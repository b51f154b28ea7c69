import { isRecord, recordOf } from '../lib/json-record.ts'
import { ApiStatusError } from './api-errors.ts'
import type { ApiReader } from './client.ts'
import { groupPath, type Resource } from './resource.ts'

/**
 * Whether the API server serves `resource` and will go on to. While a CRD is being removed, its kind can be read and
 * deleted, and created no more: so discovery tells of the end before the objects are gone. Where discovery is not for
 * us, the answer is true.
 */
export async function isKindServed(client: ApiReader, resource: Resource, signal: AbortSignal): Promise<boolean> {
  try {
    const { resources } = recordOf(await client.get(groupPath(resource), { signal }))
    const entries: readonly unknown[] = Array.isArray(resources) ? resources : []
    const entry = entries.find((each) => isRecord(each) && each['name'] === resource.plural)
    const { verbs } = recordOf(entry)
    return Array.isArray(verbs) && verbs.includes('create')
  } catch (error) {
    if (!(error instanceof ApiStatusError)) throw error
    if (error.status === 404) return false
    if (error.status === 403) return true
    throw error
  }
}
