// The replica that a verb asks, and how (R32-29).
import { readFile } from 'node:fs/promises'
import { type AdminCall, type AdminReply, callAdmin } from '../admin/client.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Timers } from '../lib/timers.ts'
import type { GivenOptions, VerbOption } from './verb.ts'

/** Where `kubectl port-forward` brings it. */
const DEFAULT_URL = 'http://127.0.0.1:10254'

/** Options of every verb that asks a replica. */
export const TARGET_OPTIONS: readonly VerbOption[] = [
  { name: '--url', value: 'URL', help: `Admin listener to ask; default: ${DEFAULT_URL}` },
  { name: '--token-file', value: 'FILE', help: 'File with the token of the admin API' },
  { name: '--output', value: 'table|json', help: 'How the answer is written; default: table' },
]

export interface AdminTarget {
  readonly url: string
  readonly token: string | undefined
  readonly output: 'table' | 'json'
}

/** An answer may wait for other replicas, each of which has 5 s. */
const ANSWER_MS = 30_000
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

/** What the options say; the error is a line about one of them. */
export async function readTarget(options: GivenOptions): Promise<Result<AdminTarget, string>> {
  const url = urlOf(options.get('--url') ?? DEFAULT_URL)
  if (url === undefined) return err('--url: must be an http or https URL, or HOST:PORT')
  const output = options.get('--output') ?? 'table'
  if (output !== 'table' && output !== 'json') return err('--output: must be table or json')
  const token = await tokenOf(options.get('--token-file'))
  return token.ok ? ok({ url, output, token: token.value }) : token
}

/** Asks for one path. Rejects when no answer comes. */
export function askTarget(
  { url, token }: AdminTarget,
  asked: Pick<AdminCall, 'method' | 'path' | 'body'>,
  timers: Timers,
): Promise<AdminReply> {
  return callAdmin({ ...asked, url, token, timeoutMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES }, timers)
}

/** A bare `host:port` gets `http://`. */
function urlOf(text: string): string | undefined {
  const url = URL.parse(/^[a-z]+:\/\//i.test(text) ? text : `http://${text}`)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.search !== '' || url.hash !== '')
    return undefined
  return url.href.replace(/\/$/, '')
}

async function tokenOf(path: string | undefined): Promise<Result<string | undefined, string>> {
  if (path === undefined) return ok(undefined)
  const token = await readFile(path, 'utf8').catch(() => undefined)
  if (token === undefined) return err(`--token-file: ${path} cannot be read`)
  return token.trim() === '' ? err(`--token-file: ${path} holds no token`) : ok(token.trim())
}
