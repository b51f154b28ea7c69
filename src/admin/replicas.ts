// The other replicas, and what all of them are asked at once (R30-19, R32-40).
import { messageOf } from '../lib/errors.ts'
import { isRecord, parseJson } from '../lib/json-record.ts'
import type { Timers } from '../lib/timers.ts'
import type { Replica } from '../model/replica.ts'
import type { AdminToken } from './admin-token.ts'
import { type AdminCall, callAdmin, detailOf } from './client.ts'
import type { ReplicaOutcome, Turn } from './rollback.ts'

export interface ReplicasDeps {
  readonly replicas: () => readonly Replica[]
  readonly token: AdminToken
  readonly timers: Timers
  /** In which a replica must have answered. */
  readonly peerMs: number
}

const MAX_ANSWER_BYTES = 65_536

/** The document of `GET /admin/replicas`, version 1. */
export function replicasView(replicas: readonly Replica[]): unknown {
  return { version: 1, replicas: replicas.map(({ name, address, ready, self }) => ({ name, address, ready, self })) }
}

/**
 * Asks every other replica for the turn that this one has made, all at once and each within `peerMs`. Tells of every
 * replica, this one included; nothing is undone.
 */
export async function turnAllReplicas(turn: Turn, deps: ReplicasDeps): Promise<readonly ReplicaOutcome[]> {
  const token = await deps.token.current()
  return await Promise.all(
    deps.replicas().map(async (replica) => {
      const { name, address, self } = replica
      const outcome = self ? done(turn) : await turnPeer(turn, { ...deps, address, token })
      return { name, address, ...outcome }
    }),
  )
}

type Outcome = Pick<ReplicaOutcome, 'outcome' | 'reason'>

const NOT_TURNED: Outcome = { outcome: 'failed', reason: 'the answer does not say that it did' }

interface Peer extends Pick<ReplicasDeps, 'timers' | 'peerMs'> {
  readonly address: string
  readonly token: string
}

async function turnPeer(turn: Turn, peer: Peer): Promise<Outcome> {
  try {
    const reply = await callAdmin(callOf(turn, peer), peer.timers)
    if (reply.status === 200) return hasTurned(turn, reply.body) ? done(turn) : NOT_TURNED
    if (reply.status === 404 && turn.kind === 'pin') return { outcome: 'unknown', reason: null }
    return { outcome: 'failed', reason: `${reply.status}: ${detailOf(reply)}` }
  } catch (error) {
    return { outcome: 'failed', reason: messageOf(error) }
  }
}

/** Whether an answer says what was asked for: at an address that a replica had before, somebody else may answer 200. */
function hasTurned(turn: Turn, body: string): boolean {
  const document = parseJson(body)
  if (!isRecord(document)) return false
  const { digest, pinned } = document
  return turn.kind === 'pin' ? digest === turn.digest && typeof pinned === 'number' : pinned === null
}

function done({ kind }: Turn): Outcome {
  return { outcome: kind === 'pin' ? 'pinned' : 'released', reason: null }
}

function callOf(turn: Turn, { address, token, peerMs }: Peer): AdminCall {
  const call = {
    url: `http://${address}`,
    path: '/admin/rollback',
    token,
    timeoutMs: peerMs,
    maxBytes: MAX_ANSWER_BYTES,
  }
  switch (turn.kind) {
    case 'pin':
      return { ...call, method: 'POST', body: { digest: turn.digest } }
    case 'release':
      return { ...call, method: 'DELETE' }
  }
}
