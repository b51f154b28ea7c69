// `tls`: requests and handshakes over TLS, in CPU time of the proxy (R60-32).

import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { chooseContenders } from '../contenders/choose.ts'
import { type Front, makeKeyPair } from '../contenders/front.ts'
import { haproxy } from '../contenders/haproxy.ts'
import { nginx } from '../contenders/nginx.ts'
import { ramjet } from '../contenders/ramjet.ts'
import { newFolder } from '../contenders/start.ts'
import { checkAlike } from './alike.ts'
import { runHandshakes } from './handshakes.ts'
import { runInterleaved, type WorkReport } from './interleaved.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import type { Arrangement, Target } from './ratio-report.ts'
import { startUpstream } from './upstream.ts'
import { runWrk } from './wrk.ts'

interface SecureWork extends Arrangement {
  /** Requests under way at once; absent where none is sent. */
  readonly atOnce?: number
  work(port: number, seconds: number, core: number): Promise<WorkReport>
}

const LANES = 16
const ROUNDS = 25
const SLOT_SECONDS = 2

function target(atMost: number): ReadonlyMap<string, Target> {
  return new Map([['wire', { rule: 'R60-32', atMost }]])
}

function handshakes(name: string, asks: boolean, resumes: boolean): SecureWork {
  return {
    name,
    unit: asks ? 'request' : 'handshake',
    ...(asks && { atOnce: LANES }),
    targets: asks || resumes ? new Map() : target(1.6),
    work: (port, seconds, core) => runHandshakes({ port, seconds, lanes: LANES, asks, resumes }, core),
  }
}

const KEEP_ALIVE: SecureWork = {
  name: 'keep-alive, 64 connections',
  unit: 'request',
  atOnce: 64,
  targets: target(2),
  work: async (port, seconds, core) => {
    const report = await runWrk({ port, isSecure: true, connections: 64, seconds, headers: [], core })
    return { ...report, units: report.requests }
  },
}
const RESUMED: SecureWork = handshakes('a new connection for each request, resumed', true, true)

const ARRANGEMENTS: readonly SecureWork[] = [
  KEEP_ALIVE,
  handshakes('a new connection for each request', true, false),
  RESUMED,
  handshakes('full handshakes', false, false),
  handshakes('resumed handshakes', false, true),
]

/** One of each load tool: a smoke has two minutes (R90-30). */
const SMOKED: readonly SecureWork[] = [KEEP_ALIVE, RESUMED]

export const tls: Bench = {
  name: 'tls',
  about: 'requests, connections and handshakes over TLS 1.3 with a key on P-256, by CPU time of the proxy',
  needs: 'nothing',
  programs: ['nginx', 'wrk', 'openssl', 'taskset'],
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const core = availableParallelism() - 1
  const folder = newFolder()
  const front: Front = { speaks: 'https', job: 'request', pair: makeKeyPair(folder) }
  const own = [ramjet('wire', undefined, { front }), ramjet('standard', undefined, { front })]
  const peers = [nginx(front), haproxy(front)]
  const { contenders, versions } = chooseContenders(peers, options.against, options.progress, own)
  const upstream = await startUpstream(core)
  try {
    await checkAlike(contenders, core)
    const plan = { contenders, upstream: upstream.address, core, ...paceOf(options, ROUNDS) }
    return await benchRatios(
      options.smoke ? SMOKED : ARRANGEMENTS,
      options,
      (arrangement) =>
        runInterleaved(
          { ...plan, atOnce: arrangement.atOnce },
          ({ place }, seconds = options.smoke ? 1 : SLOT_SECONDS) => arrangement.work(place.port, seconds, core),
        ),
      () => versions,
    )
  } finally {
    await upstream.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
