// `ramjet rollback`: serves a kept generation again, or lets go of it (R30-17, R30-19).
import type { AdminCall } from '../admin/client.ts'
import type { JsonRecord } from '../lib/json-record.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { askTarget, readTarget, TARGET_OPTIONS } from './admin-target.ts'
import { documentOf, recordsIn, type Shape, textOf } from './answer.ts'
import { tableText } from './table.ts'
import { type ExitCode, type GivenOptions, runVerb, type VerbDeps, type VerbOption, wrongUsage } from './verb.ts'

const OPTIONS: readonly VerbOption[] = [
  { name: '--generation', value: 'N', help: 'Pin the generation of this number' },
  { name: '--digest', value: 'DIGEST', help: 'Pin the generation of this digest' },
  { name: '--release', value: undefined, help: 'Serve the newest generation again' },
  { name: '--all', value: undefined, help: 'On every replica; needs a token' },
  ...TARGET_OPTIONS,
]
const DOES = 'Pins a generation that a replica keeps, or releases the pin: one of --generation, --digest and --release.'

/** Runs the verb with the words after it. */
export function runRollback(words: readonly string[], deps: VerbDeps): Promise<ExitCode> {
  return runVerb({ name: 'rollback', does: DOES, options: OPTIONS, run: turn }, words, deps)
}

async function turn(options: GivenOptions, deps: VerbDeps): Promise<ExitCode> {
  const call = callOf(options)
  const target = await readTarget(options)
  const faults = [call, target].flatMap((result) => (result.ok ? [] : [result.error]))
  if (!call.ok || !target.ok) return wrongUsage(faults, deps)
  const { url, output } = target.value
  const document = await documentOf(url, askTarget(target.value, call.value, deps.timers), isTurned(call.value))
  if (!document.ok) {
    deps.err(`ramjet: ${document.error}\n`)
    return 1
  }
  if (output === 'json') deps.out(`${JSON.stringify(document.value, undefined, 2)}\n`)
  else deps.out(answerText(document.value, deps))
  const replicas = recordsIn(document.value, 'replicas')
  return replicas.some(({ outcome }) => outcome === 'unknown' || outcome === 'failed') ? 1 : 0
}

/** Whether an answer is that of a replica; after a release somebody else may have pinned again. */
function isTurned({ method }: Call): Shape {
  return ({ serving, pinned }) =>
    typeof serving === 'number' && (typeof pinned === 'number' || (method === 'DELETE' && pinned === null))
}

type Call = Pick<AdminCall, 'method' | 'path' | 'body'>

function callOf(options: GivenOptions): Result<Call, string> {
  const [generation, digest] = [options.get('--generation'), options.get('--digest')]
  const all = options.has('--all')
  const named = ['--generation', '--digest', '--release'].filter((name) => options.has(name))
  if (named.length !== 1) return err('exactly one of --generation, --digest and --release must be given')
  if (generation !== undefined && !isNumber(generation)) return err('--generation: must be a number')
  if (digest !== undefined && !/^[0-9a-f]{32}$/i.test(digest)) return err('--digest: must be 32 hex digits')
  const path = '/admin/rollback'
  if (generation !== undefined) return ok({ method: 'POST', path, body: { generation: Number(generation), all } })
  if (digest !== undefined) return ok({ method: 'POST', path, body: { digest, all } })
  return ok({ method: 'DELETE', path: all ? `${path}?all=true` : path })
}

/** Digits of a number that keeps its value on the way. */
function isNumber(text: string): boolean {
  return /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text))
}

function answerText(document: JsonRecord, deps: VerbDeps): string {
  const { serving, digest, pinned } = document
  const state = typeof pinned === 'number' ? 'pinned' : 'not pinned'
  const line = `serving generation ${textOf(serving)} (${textOf(digest)}), ${state}\n`
  if (!Array.isArray(document['replicas'])) return line
  const rows = recordsIn(document, 'replicas').map(({ name, address, outcome, reason }) =>
    [name, address, outcome, reason].map(textOf),
  )
  return `${line}${tableText({ head: ['REPLICA', 'ADDRESS', 'OUTCOME', 'REASON'], rows }, deps)}`
}
