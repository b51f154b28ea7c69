// `h2`: one request over HTTP/2 with an answer of 128 bytes, and one call of gRPC, in CPU time of the proxy (R60-33).

import { rmSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { Bench, BenchOptions, BenchOutcome } from '../bench.ts'
import { caddy } from '../contenders/caddy.ts'
import { chooseContenders } from '../contenders/choose.ts'
import { type Front, type KeyPairFiles, makeKeyPair } from '../contenders/front.ts'
import { nginx } from '../contenders/nginx.ts'
import { ramjet } from '../contenders/ramjet.ts'
import { newFolder } from '../contenders/start.ts'
import { checkAlike } from './alike.ts'
import { runH2Load } from './h2load.ts'
import { type MeasuredSlot, runInterleaved } from './interleaved.ts'
import { benchRatios, paceOf, type Versions } from './ratio-bench.ts'
import type { Arrangement, Target } from './ratio-report.ts'
import { startUpstream } from './upstream.ts'

interface Streams extends Arrangement {
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
  { ...REQUESTS, name: 'h2 over TLS, 8 connections of 16 streams', speaks: 'h2', connections: 8, streams: 16 },
  { ...REQUESTS, name: 'h2c, 8 connections of 16 streams', speaks: 'h2c', connections: 8, streams: 16 },
  { ...CALLS, name: 'gRPC unary over h2c, 8 connections of 16 streams', speaks: 'h2c', connections: 8, streams: 16 },
]

const ROUNDS = 25
const SLOT_SECONDS = 2

export const h2: Bench = {
  name: 'h2',
  about: 'one request over HTTP/2 with an answer of 128 bytes, and one call of gRPC, by CPU time of the proxy',
  needs: 'nothing',
  run,
}

async function run(options: BenchOptions): Promise<BenchOutcome> {
  const folder = newFolder()
  const versions = new Map<string, string>()
  try {
    const plan = { options, folder, pair: makeKeyPair(folder) }
    return await benchRatios(
      ARRANGEMENTS,
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
  const { smoke, against, progress } = options
  const core = availableParallelism() - 1
  const { speaks, job, connections, streams } = arrangement
  const front: Front = { speaks, job, ...(speaks === 'h2' && { pair }) }
  const own = [ramjet('wire', undefined, { front }), ramjet('standard', undefined, { front })]
  const { contenders, versions } = chooseContenders([nginx(front), caddy(front)], against, progress, own)
  const upstream = await startUpstream(core, job)
  try {
    await checkAlike(contenders, core)
    const slots = await runInterleaved(
      { contenders, upstream: upstream.address, core, ...paceOf(options, ROUNDS) },
      ({ place }, seconds = smoke ? 1 : SLOT_SECONDS) =>
        runH2Load({ port: place.port, front, connections, streams, seconds, core, folder }),
    )
    return { slots, versions }
  } finally {
    await upstream.stop()
  }
}
