// Lists in parts: `?limit=` and `?continue=` (R32-9).
import { err, ok, type Result } from '../lib/result.ts'

export interface PageQuery {
  /** `undefined`: all. */
  readonly limit: number | undefined
  /** Where the last answer ended; `undefined`: from the beginning. */
  readonly after: readonly string[] | undefined
}

export interface Page<T> {
  readonly items: readonly T[]
  /** For the next request; null: there is no more. */
  readonly next: string | null
}

/** What a query asks for; the error says what is wrong with it. */
export function parsePageQuery(query: URLSearchParams): Result<PageQuery, string> {
  const limit = query.get('limit')
  if (limit !== null && !/^[1-9]\d{0,8}$/.test(limit)) return err('limit must be a whole number, at least 1')
  const token = query.get('continue')
  const after = token === null ? undefined : keyOfToken(token)
  if (token !== null && after === undefined) return err('continue must be what an answer gave')
  return ok({ limit: limit === null ? undefined : Number(limit), after })
}

/**
 * The items after `query.after`, `query.limit` of them at most. `items` are in the order of their keys, so a list that
 * changed in between is gone on with at the right place.
 */
export function pageOf<T>(items: readonly T[], query: PageQuery, keyOf: (item: T) => readonly string[]): Page<T> {
  const { after, limit } = query
  const rest = after === undefined ? items : items.filter((item) => compareKeys(keyOf(item), after) > 0)
  const page = limit === undefined ? rest : rest.slice(0, limit)
  const last = page.at(-1)
  return { items: page, next: page.length === rest.length || last === undefined ? null : tokenOf(keyOf(last)) }
}

/** Orders keys part by part. */
export function compareKeys(left: readonly string[], right: readonly string[]): number {
  for (const [index, part] of left.entries()) {
    const other = right[index] ?? ''
    if (part !== other) return part < other ? -1 : 1
  }
  return 0
}

function tokenOf(key: readonly string[]): string {
  return Buffer.from(JSON.stringify(key)).toString('base64url')
}

function keyOfToken(token: string): readonly string[] | undefined {
  try {
    const key: unknown = JSON.parse(Buffer.from(token, 'base64url').toString())
    const isKey = Array.isArray(key) && key.length > 0 && key.every((part) => typeof part === 'string')
    return isKey ? key : undefined
  } catch {
    return undefined
  }
}
