// POST and DELETE /admin/rollback: pins and releases, here or on all replicas (R30-17, R30-19).
import type { PinOutcome } from '../generations/publish.ts'
import type { GenerationName } from '../generations/store.ts'
import { isRecord, parseJson } from '../lib/json-record.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Pair } from '../model/generation.ts'
import { type Answer, json, problem } from './answer.ts'

/** What became of a pin or a release on one replica. */
export interface ReplicaOutcome {
  readonly name: string
  readonly address: string
  /** `unknown`: it does not keep that digest. */
  readonly outcome: 'pinned' | 'released' | 'unknown' | 'failed'
  /** Why it failed; null: it did not. */
  readonly reason: string | null
}

/** What every replica is asked for: the digest that means the same everywhere, or a release. */
export type Turn = { readonly kind: 'pin'; readonly digest: string } | { readonly kind: 'release' }

export interface RollbackSources {
  readonly pin: (name: GenerationName) => Promise<PinOutcome>
  readonly release: () => Promise<void>
  /** Served now. */
  readonly pair: () => Pair | undefined
  /** Number of the generation that a pin holds. */
  readonly pinned: () => number | undefined
  /** Asks every other replica and tells of this one too; `undefined`: nobody may, for want of a token. */
  readonly turnAll: ((turn: Turn) => Promise<readonly ReplicaOutcome[]>) | undefined
}

/** What the body of a pin asks for. */
export interface PinRequest {
  readonly name: GenerationName
  readonly all: boolean
}

const NO_TOKEN = '"all" needs --admin-token-file: with its token the other replicas are asked'
const SHAPE = 'the body must be {"generation": N} or {"digest": "32 hex digits"}, and may have "all": true'

/** Pins what the body names. */
export async function postRollback(sources: RollbackSources, body: string): Promise<Answer> {
  const asked = parsePinRequest(body)
  if (!asked.ok) return problem(400, asked.error)
  const { name, all } = asked.value
  if (all && !sources.turnAll) return problem(403, NO_TOKEN)
  const outcome = await sources.pin(name)
  switch (outcome.kind) {
    case 'pinned': {
      const { digest } = outcome.generation
      return await answerOf(sources, all ? { kind: 'pin', digest } : undefined)
    }
    case 'unknown': {
      const kept = outcome.kept.toReversed().map(({ number, digest }) => ({ generation: number, digest }))
      return problem(404, 'no such generation is kept', { kept })
    }
    case 'refused':
      return problem(503, `the workers refused it, and what served before serves on: ${outcome.message}`)
  }
}

/** Releases the pin, if there is one. */
export async function deleteRollback(sources: RollbackSources, query: URLSearchParams): Promise<Answer> {
  const all = query.get('all') ?? 'false'
  if (all !== 'true' && all !== 'false') return problem(400, 'all must be true or false')
  if (all === 'true' && !sources.turnAll) return problem(403, NO_TOKEN)
  await sources.release()
  return await answerOf(sources, all === 'true' ? { kind: 'release' } : undefined)
}

/** Reads the body of a pin; the error is what it must be. */
export function parsePinRequest(body: string): Result<PinRequest, string> {
  const document = parseJson(body)
  if (!isRecord(document)) return err(SHAPE)
  const { generation, digest, all = false, ...rest } = document
  if (typeof all !== 'boolean' || Object.keys(rest).length > 0) return err(SHAPE)
  if (digest === undefined && isNumber(generation)) return ok({ name: { number: generation }, all })
  if (generation === undefined && isDigest(digest)) return ok({ name: { digest: digest.toLowerCase() }, all })
  return err(SHAPE)
}

async function answerOf(sources: RollbackSources, turn: Turn | undefined): Promise<Answer> {
  const replicas = turn && (await sources.turnAll?.(turn))
  const pair = sources.pair()
  return json({
    version: 1,
    serving: pair?.generation.number ?? 0,
    digest: pair?.generation.digest ?? null,
    endpointsVersion: pair?.endpoints.version ?? 0,
    pinned: sources.pinned() ?? null,
    ...(replicas === undefined ? {} : { replicas }),
  })
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 1
}

function isDigest(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{32}$/i.test(value)
}
