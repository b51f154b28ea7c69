// `h2`: one request over HTTP/2 with an answer of 128 bytes, and one call of gRPC, in CPU time of the proxy (R60-33).

import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { caddy } from '../contenders/caddy.ts'
import { chooseContenders, type Versions } from '../contenders/choose.ts'
import { type Front, type KeyPairFiles, makeKeyPair } from '../contenders/front.ts'
import { nginx } from '../contenders/nginx.ts'
import { ramjet } from '../contenders/ramjet.ts'
import { newFolder } from '../contenders/start.ts'
import { checkAlike } from './alike.ts'
import { runH2Load } from './h2load.ts'
import { type MeasuredSlot, runInterleaved } from './interleaved.ts'
import { benchRatios, paceOf } from './ratio-bench.ts'
import type { Arrangement, Target } from './ratio-report.ts'
import { startUpstream } from './upstream.ts'

interface Streams extends Arrangement {
  /** One by TLS and one without it: a smoke has two minutes (R90-30). */
  readonly isSmoked?: true
  readonly speaks: 'h2' | 'h2c'
  readonly job: Front['job']
  readonly connections: number
  readonly streams: number
}

const TARGETS: ReadonlyMap<string, Target> = new Map([['wire', { rule: 'R60-33', atMost: 2.3 }]])
const REQUESTS = { job: 'request', unit: 'request', targets: TARGETS } as const
const CALLS = { job: 'grpc', unit: 'call', targets: new Map<string, Target>() } as const

const ARRANGEMENTS: readonly Streams[] = [
  { ...REQUESTS, name: 'h2 over TLS, 64 connections of 1 stream', speaks: 'h2', connections: 64, streams: 1 },
  {
    ...REQUESTS,
    name: 'h2 over TLS, 8 connections of 16 streams',
    speaks: 'h2',
    connections: 8,
    streams: 16,
    isSmoked: true,
  },
  { ...REQUESTS, name: 'h2c, 8 connections of 16 streams', speaks: 'h2c', connections: 8, streams: 16 },
  {
    ...CALLS,
    name: 'gRPC unary over h2c, 8 connections of 16 streams',
    speaks: 'h2c',
    connections: 8,
    streams: 16,
    isSmoked: true,
  },
]

const ROUNDS = 25
/** And of a warm-up at least: h2load hangs where its time is over before all connections stand. */
const SLOT_SECONDS = 3

export const h2: Bench = {
  name: 'h2',
  about: 'one request over HTTP/2 with an answer of 128 bytes, and one call of gRPC, by CPU time of the proxy',
  needs: 'nothing',
  programs: ['nginx', 'h2load', 'openssl', 'taskset'],
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const folder = newFolder()
  const versions = new Map<string, string>()
  try {
    const plan = { options, folder, pair: makeKeyPair(folder) }
    return await benchRatios(
      ARRANGEMENTS.filter(({ isSmoked }) => isSmoked === true || !options.smoke),
      options,
      async (arrangement) => {
        const measured = await measure(arrangement, plan)
        for (const [name, version] of measured.versions) versions.set(name, version)
        return measured.slots
      },
      () => [...versions],
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Plan {
  readonly options: BenchOptions
  readonly folder: string
  readonly pair: KeyPairFiles
}

interface Measured {
  readonly slots: readonly MeasuredSlot[]
  readonly versions: Versions
}

async function measure(arrangement: Streams, { options, folder, pair }: Plan): Promise<Measured> {
  const { against, progress } = options
  const core = availableParallelism() - 1
  const { speaks, job, connections, streams } = arrangement
  const front: Front = { speaks, job, ...(speaks === 'h2' && { pair }) }
  const own = [ramjet('wire', undefined, { front }), ramjet('standard', undefined, { front })]
  const { contenders, versions } = chooseContenders([nginx(front), caddy(front)], against, progress, own)
  const upstream = await startUpstream(core, job)
  try {
    await checkAlike(contenders, core)
    const atOnce = connections * streams
    const slots = await runInterleaved(
      { contenders, upstream: upstream.address, core, atOnce, ...paceOf(options, ROUNDS) },
      ({ place }, seconds = SLOT_SECONDS) => {
        const load = { port: place.port, front, connections, streams, core, folder }
        return runH2Load({ ...load, seconds: Math.max(seconds, SLOT_SECONDS) })
      },
    )
    return { slots, versions }
  } finally {
    await upstream.stop()
  }
}
