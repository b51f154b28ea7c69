// `ramjet generations`: the history of one replica, or what each of them serves.
import type { JsonRecord } from '../lib/json-record.ts'
import { recordOf } from '../lib/json-record.ts'
import { type AdminTarget, askTarget, readTarget, TARGET_OPTIONS } from './admin-target.ts'
import { documentOf, recordsIn, type Shape, textOf, withList } from './answer.ts'
import { printable, tableText } from './table.ts'
import { type ExitCode, type GivenOptions, runVerb, type VerbDeps, type VerbOption, wrongUsage } from './verb.ts'

const OPTIONS: readonly VerbOption[] = [
  { name: '--all', value: undefined, help: 'What every replica serves, as the one that is asked finds them' },
  ...TARGET_OPTIONS,
]
/** Replicas that are asked at once: a replica relays 64 requests (R32-41). */
const MAX_ASKED = 16
const DOES = 'Shows the generations that a replica keeps, newest first, and what each of them changed.'

/** Runs the verb with the words after it. */
export function runGenerations(words: readonly string[], deps: VerbDeps): Promise<ExitCode> {
  return runVerb({ name: 'generations', does: DOES, options: OPTIONS, run: show }, words, deps)
}

async function show(options: GivenOptions, deps: VerbDeps): Promise<ExitCode> {
  const target = await readTarget(options)
  if (!target.ok) return wrongUsage([target.error], deps)
  return options.has('--all') ? await showAll(target.value, deps) : await showOne(target.value, deps)
}

async function showOne(target: AdminTarget, deps: VerbDeps): Promise<ExitCode> {
  const document = await ask(target, { path: '/admin/generations', shape: withList('generations') }, deps)
  if (!document.ok) return failed(document.error, deps)
  if (target.output === 'json') deps.out(`${JSON.stringify(document.value, undefined, 2)}\n`)
  else deps.out(historyTable(document.value, deps))
  return 0
}

interface ReplicaHistory {
  readonly name: string
  readonly generations: JsonRecord | null
  readonly error: string | null
}

async function showAll(target: AdminTarget, deps: VerbDeps): Promise<ExitCode> {
  const list = await ask(target, { path: '/admin/replicas', shape: withList('replicas') }, deps)
  if (!list.ok) return failed(list.error, deps)
  const replicas = await historiesOf(namesIn(list.value), target, deps)
  if (target.output === 'json') deps.out(`${JSON.stringify({ version: 1, replicas }, undefined, 2)}\n`)
  else deps.out(replicasTable(replicas, deps))
  for (const { name, error } of replicas) if (error !== null) deps.err(`ramjet: ${printable(name)}: ${error}\n`)
  return replicas.some(({ error }) => error !== null) ? 1 : 0
}

function namesIn(document: JsonRecord): readonly string[] {
  return recordsIn(document, 'replicas').flatMap(({ name }) => (typeof name === 'string' ? [name] : []))
}

/** In the order of `names`; no more at once than a replica relays beside what others ask it. */
async function historiesOf(
  names: readonly string[],
  target: AdminTarget,
  deps: VerbDeps,
): Promise<readonly ReplicaHistory[]> {
  const histories: ReplicaHistory[] = []
  for (let from = 0; from < names.length; from += MAX_ASKED) {
    const some = names.slice(from, from + MAX_ASKED)
    histories.push(...(await Promise.all(some.map((name) => historyOf(name, target, deps)))))
  }
  return histories
}

async function historyOf(name: string, target: AdminTarget, deps: VerbDeps): Promise<ReplicaHistory> {
  const path = `/admin/replicas/${encodeURIComponent(name)}/generations`
  const document = await ask(target, { path, shape: withList('generations') }, deps)
  return document.ok
    ? { name, generations: document.value, error: null }
    : { name, generations: null, error: document.error }
}

function ask(
  target: AdminTarget,
  { path, shape }: { readonly path: string; readonly shape: Shape },
  { timers }: VerbDeps,
): ReturnType<typeof documentOf> {
  return documentOf(target.url, askTarget(target, { method: 'GET', path }, timers), shape)
}

function failed(reason: string, deps: VerbDeps): ExitCode {
  deps.err(`ramjet: ${reason}\n`)
  return 1
}

function historyTable(document: JsonRecord, deps: VerbDeps): string {
  const { serving, pinned } = document
  const generations = recordsIn(document, 'generations')
  return tableText(
    {
      head: ['GENERATION', 'STATE', 'APPLIED', 'DIGEST', 'ROUTES', 'HOSTS', 'CHANGES'],
      rows: generations.map((record) => [
        textOf(record['generation']),
        stateOf(record, serving, pinned),
        textOf(record['applied_at']),
        textOf(record['digest']),
        textOf(record['routes']),
        textOf(record['hosts']),
        textOf(recordOf(record['diff'])['summary']),
      ]),
      strong: generations.findIndex(({ generation }) => generation === serving),
    },
    deps,
  )
}

function stateOf({ generation, published, rejected }: JsonRecord, serving: unknown, pinned: unknown): string {
  if (generation === serving) return generation === pinned ? 'serving, pinned' : 'serving'
  if (typeof rejected === 'string') return 'rejected'
  return published === true ? 'kept' : 'held back'
}

function replicasTable(replicas: readonly ReplicaHistory[], deps: VerbDeps): string {
  const rows = replicas.map(({ name, generations }) => {
    const { serving, pinned } = generations ?? {}
    const served = recordsIn(generations ?? {}, 'generations').find(({ generation }) => generation === serving)
    return [name, textOf(serving), textOf(served?.['digest']), textOf(pinned)]
  })
  return tableText({ head: ['REPLICA', 'SERVING', 'DIGEST', 'PINNED'], rows }, deps)
}
