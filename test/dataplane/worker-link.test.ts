import { expect } from 'chai'
import { allocateCounterMemory } from '../../src/dataplane/counter-layout.ts'
import { diffPairs } from '../../src/dataplane/delta.ts'
import { descriptorShare } from '../../src/dataplane/descriptors.ts'
import { workerBoot } from '../../src/dataplane/worker-boot.ts'
import type { WorkerDeath } from '../../src/dataplane/worker-end.ts'
import { type BuildReply, WorkerLink } from '../../src/dataplane/worker-link.ts'
import { ENGINE_SETTINGS } from '../builders/engine-settings.ts'
import { pairOf } from '../builders/pair.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'

/** A worker that never answers. Its event loop counts as begun when it is told to drain. */
const MUTE = `
  import { parentPort, workerData } from 'node:worker_threads'
  parentPort.on('message', ({ kind }) => {
    if (kind === 'startDraining') Atomics.add(new Int32Array(workerData.heartbeat), 0, 1)
  })
`
const PAIR = pairOf({ 'web.example': ['192.0.2.1:80'] })

describe('the link to a worker', () => {
  let link: WorkerLink
  let clock: FakeClock
  let deaths: WorkerDeath[]

  beforeEach(() => {
    deaths = []
    clock = new FakeClock()
    const settings = { http: [], workers: 1, engine: 'standard', engineSettings: ENGINE_SETTINGS } as const
    const place = { index: 0, column: 0, counters: allocateCounterMemory(1), heartbeatMs: 250 }
    const boot = workerBoot(settings, { ...place, descriptors: descriptorShare(undefined, 1) })
    const entry = new URL(`data:text/javascript,${encodeURIComponent(MUTE)}`)
    link = new WorkerLink(
      { entry, boot, heapMb: 32 },
      { onFailing: () => undefined, onLog: () => undefined, onEnd: (_link, death) => deaths.push(death) },
    )
  })

  afterEach(async () => {
    link.end({ cause: 'stopped', message: 'the test is over' })
    await link.gone
  })

  function build(): Promise<BuildReply> {
    const rows = { freed: [], set: [] }
    const delta = diffPairs(undefined, PAIR)
    return link.build(
      { sequence: 1, pair: PAIR },
      { kind: 'build', sequence: 1, delta, routeRows: rows, endpointRows: rows, segments: [] },
      { ms: 10_000, timers: clock },
    )
  }

  async function begin(): Promise<void> {
    link.startDraining()
    await eventually(() => link.beats > 0)
  }

  it('ends a worker that does not answer a publish for so long (R30-10)', async () => {
    await begin()
    const reply = build()
    clock.advance(9_999)
    expect(deaths).to.deep.equal([])
    clock.advance(1)
    expect(await reply).to.have.nested.include({ kind: 'ended', 'end.cause': 'silence' })
    expect(deaths.map(({ isBuilding }) => isBuilding)).to.deep.equal([true])
    expect(clock.pending()).to.deep.equal([])
  })

  it('takes no slow start for silence: a thread has that time once it runs (R30-10, R70-121)', async () => {
    const reply = build()
    clock.advance(25_000)
    expect(deaths).to.deep.equal([])
    await begin()
    clock.advance(10_000)
    expect(deaths).to.deep.equal([])
    clock.advance(10_000)
    expect(await reply).to.have.nested.include({ kind: 'ended', 'end.cause': 'silence' })
    expect(clock.pending()).to.deep.equal([])
  })
})
