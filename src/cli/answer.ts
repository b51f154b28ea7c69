// What a replica answered, read for a verb.
import { type AdminReply, detailOf } from '../admin/client.ts'
import { messageOf } from '../lib/errors.ts'
import { isRecord, type JsonRecord } from '../lib/json-record.ts'
import { err, ok, type Result } from '../lib/result.ts'

/** The document of a good answer; the error says in one line why there is none. */
export async function documentOf(url: string, asking: Promise<AdminReply>): Promise<Result<JsonRecord, string>> {
  try {
    const reply = await asking
    if (reply.status !== 200) return err(`${url}: ${reply.status}: ${detailOf(reply)}${keptIn(reply)}`)
    const document: unknown = JSON.parse(reply.body)
    return isRecord(document) ? ok(document) : err(`${url}: the answer is no document`)
  } catch (error) {
    return err(`${url}: ${messageOf(error)}`)
  }
}

/** The records of a list in a document; none where there is no list. */
export function recordsIn(document: JsonRecord, name: string): readonly JsonRecord[] {
  const list = document[name]
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** The text of a value, `-` where there is none. */
export function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '-'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A 404 of a pin says what could be named in its place. */
function keptIn({ status, body }: AdminReply): string {
  if (status !== 404) return ''
  const document = parseJson(body)
  const kept = isRecord(document) ? recordsIn(document, 'kept') : []
  const names = kept.map(({ generation, digest }) => `${textOf(generation)} (${textOf(digest)})`)
  return names.length === 0 ? '' : `; kept: ${names.join(', ')}`
}
