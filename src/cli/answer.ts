// What a replica answered, read for a verb.
import { type AdminReply, detailOf } from '../admin/client.ts'
import { messageOf } from '../lib/errors.ts'
import { isRecord, type JsonRecord, parseJson } from '../lib/json-record.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { printable } from './table.ts'

/** Whether a document is the one that was asked for: at a wrong address anybody may answer. */
export type Shape = (document: JsonRecord) => boolean

/** A shape with a list of this name. */
export function withList(name: string): Shape {
  return (document) => Array.isArray(document[name])
}

/** The document of a good answer; the error says in one line, fit for a terminal, why there is none. */
export async function documentOf(
  url: string,
  asking: Promise<AdminReply>,
  shape: Shape,
): Promise<Result<JsonRecord, string>> {
  const found = await asking.then(
    (reply) => documentIn(reply, shape),
    (error: unknown) => err(withHint(error)),
  )
  return found.ok ? found : err(printable(`${url}: ${found.error}`))
}

/** A refused connection says nothing about what to do. */
function withHint(error: unknown): string {
  const message = messageOf(error)
  return message.includes('ECONNREFUSED')
    ? `${message}; --url names the admin listener, or a port-forward to it`
    : message
}

function documentIn(reply: AdminReply, shape: Shape): Result<JsonRecord, string> {
  const hint = reply.status === 401 ? '; --token-file names the file with it' : keptIn(reply)
  if (reply.status !== 200) return err(`${reply.status}: ${detailOf(reply)}${hint}`)
  const document = parseJson(reply.body)
  return isRecord(document) && shape(document) ? ok(document) : err("the answer is no document of Ramjet's")
}

/** The records of a list in a document; none where there is no list. */
export function recordsIn(document: JsonRecord, name: string): readonly JsonRecord[] {
  const list = document[name]
  return Array.isArray(list) ? list.filter(isRecord) : []
}

/** The text of a value, fit for a terminal; `-` where there is none. */
export function textOf(value: unknown): string {
  const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  return isText ? printable(String(value)) : '-'
}

/** A 404 of a pin says what could be named in its place. */
function keptIn({ status, body }: AdminReply): string {
  if (status !== 404) return ''
  const document = parseJson(body)
  const kept = isRecord(document) ? recordsIn(document, 'kept') : []
  const names = kept.map(({ generation, digest }) => `${textOf(generation)} (${textOf(digest)})`)
  return names.length === 0 ? '' : `; kept: ${names.join(', ')}`
}
