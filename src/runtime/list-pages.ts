import { recordOf } from '../lib/json-record.ts'
import { ApiAnswerError } from './api-errors.ts'
import type { ApiReader } from './client.ts'
import { metadataOf, versionOf } from './watch-event.ts'

export interface ListRequest {
  readonly path: string
  /** Narrows the list; `undefined`: all of it. */
  readonly query?: Readonly<Record<string, string>>
  /** Objects a page. */
  readonly pageSize: number
  readonly signal: AbortSignal
  /** Told of each page as it comes, so that nobody holds the raw pages of a long list. */
  readonly take: (items: readonly unknown[]) => void
}

/** Lists a collection page by page and gives the version to watch from. Rejects as a whole: half a list is none. */
export async function listPages(client: ApiReader, request: ListRequest): Promise<string> {
  let next: string | undefined
  for (;;) {
    const query = {
      ...request.query,
      limit: String(request.pageSize),
      ...(next === undefined ? {} : { continue: next }),
    }
    const page = await client.get(request.path, { query, signal: request.signal })
    request.take(itemsOf(request.path, page))
    next = continueOf(page)
    if (next === undefined) return listVersion(request.path, page)
  }
}

function itemsOf(path: string, page: unknown): readonly unknown[] {
  const { items } = recordOf(page)
  // Go writes a list of nothing as null.
  if (items === null) return []
  if (!Array.isArray(items)) throw new ApiAnswerError(`GET ${path} was answered without a list`)
  return items
}

function continueOf(page: unknown): string | undefined {
  const token = metadataOf(page)['continue']
  return typeof token === 'string' && token !== '' ? token : undefined
}

function listVersion(path: string, page: unknown): string {
  const version = versionOf(page)
  if (version === undefined) throw new ApiAnswerError(`GET ${path} was answered without a resourceVersion`)
  return version
}
