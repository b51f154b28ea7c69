// A thousand publishes from two sources, with pins in between: what is left is what the served pair and the kept
// generations need, and no more (R00-18, R00-21, R30-16, R30-17).
import { expect } from 'chai'
import type { Ingress } from '../../src/api/networking.ts'
import { compile } from '../../src/compiler/compile.ts'
import { diffTables } from '../../src/compiler/diff.ts'
import { emptyMemo, type Memo } from '../../src/compiler/memo.ts'
import type { RouteFile } from '../../src/compiler/snapshot.ts'
import type { AuditRecord } from '../../src/generations/audit-record.ts'
import { Publishing } from '../../src/generations/publish.ts'
import type { Generation, Pair } from '../../src/model/generation.ts'
import type { RouteSource } from '../../src/model/route-table.ts'
import { endpointSlice } from '../builders/endpoint-slice.ts'
import { ingress } from '../builders/ingress.ts'
import { service } from '../builders/service.ts'
import { SETTINGS, snapshot } from '../builders/snapshot.ts'
import { FakeLogger } from '../fakes/logger.ts'
import type { WorkerHoldings } from '../fakes/worker-orders.ts'
import { realClock, realTimers, until } from './harness.ts'
import { type OrderedPlane, startOrderedPlane } from './ordered-plane.ts'

const PUBLISHES = 1_000
const KEPT = 10
const SERVICES = 12

describe('a thousand publishes from mixed sources', function () {
  this.timeout(240_000)
  let plane: OrderedPlane
  let publishing: Publishing
  let memo: Memo = emptyMemo()
  let round = 0
  const records: AuditRecord[] = []

  before(async () => {
    plane = await startOrderedPlane({ workers: 2 })
    publishing = new Publishing({
      apply: (pair, kept) => plane.plane.apply(pair, kept),
      diff: diffTables,
      recompile: publish,
      clock: realClock,
      timers: realTimers,
      log: new FakeLogger(),
      onReport: () => undefined,
      onAudit: (record) => records.push(record),
      historySize: KEPT,
      retryMinMs: 1000,
      retryMaxMs: 60_000,
    })
  })
  after(async () => {
    publishing.stop()
    await plane.stop()
  })

  async function publish(): Promise<void> {
    const contents = { file: fileOf(round), ingresses: ingressesOf(round), servedBackends: publishing.servedBackends() }
    const result = compile(snapshot({ ...contents, ...cluster(round) }), SETTINGS, memo)
    memo = result.memo
    await publishing.publish({ ...result, receivedAtMs: realClock.monotonicMs() })
  }

  /** Twice: the first drops what only the generation before named, the second has the rows of that taken back. */
  async function settle(): Promise<void> {
    for (let time = 0; time < 2; time += 1) {
      round += 1
      await publish()
      await publish()
      await plane.holdings()
    }
  }

  it('leave nothing behind, whatever was pinned meanwhile', async () => {
    await settle()
    const quiet = await plane.holdings()
    const quietMain = resourcesHere()
    let pins = 0
    while (round < PUBLISHES) {
      round += 1
      await publish()
      if (round % 40 === 0) {
        const [oldest] = publishing.kept()
        const outcome = await publishing.pin({ number: oldest?.number ?? 0 })
        expect(outcome.kind).to.equal('pinned')
        pins += 1
      }
      if (round % 40 === 20) await publishing.release()
    }
    await publishing.release()
    await settle()

    expect(pins).to.equal(PUBLISHES / 40)
    expect(records.filter(({ event }) => event === 'resume')).to.have.length(pins)
    const { generation, endpoints } = mustServe(publishing.current())
    expect(idsOf(generation, 'file')).to.have.length(fileOf(round).routes.length)
    expect(idsOf(generation, 'ingress')).to.have.length(ingressesOf(round).length)
    expect([...endpoints.table.byBackend.keys()]).to.have.members([...generation.routes.backends.keys()])
    expect(publishing.servedBackends()).to.equal(generation.routes.backends)
    expect(publishing.kept()).to.have.length(KEPT)
    expect(publishing.history()).to.have.length.of.at.most(2 * KEPT)

    const routes = new Set(publishing.kept().flatMap((kept) => [...idsOf(kept, 'file'), ...idsOf(kept, 'ingress')]))
    for (const held of await plane.holdings()) {
      const named = new Set(held.routeRows.map(([name]) => name))
      // Rows are taken back at the begin of a publish, so those of the generation that was put out last may be there.
      expect([...routes].filter((id) => !named.has(id))).to.deep.equal([])
      expect(named.size - routes.size).to.be.at.most(
        idsOf(generation, 'file').length + idsOf(generation, 'ingress').length,
      )
      expect(held.heldPairs).to.equal(1)
      expect(handlesOf(held)).to.deep.equal(quiet.map(handlesOf)[held.worker])
    }
    // What a turn of the event loop has begun is over with a later one; what leaks never is.
    await until(() => resourcesHere() <= quietMain)
  })
})

/** One to six routes, none of them like those of another round. */
function fileOf(round: number): RouteFile {
  const backend = {
    name: 'file',
    policy: 'roundRobin',
    endpoints: [{ host: '192.0.2.200', port: 80, weight: 1 + (round % 3) }],
  } as const
  const routes = Array.from({ length: 1 + (round % 6) }, (_none, index) => ({
    host: 'file.example',
    path: `/${round}/${index}`,
    pathType: 'Prefix' as const,
    backend: 'file',
  }))
  return { name: 'routes.yaml', backends: [backend], routes, defaultBackend: undefined }
}

function ingressesOf(round: number): readonly Ingress[] {
  return Array.from({ length: 1 + (round % 5) }, (_none, index) =>
    ingress(`shop/i-${index}`)
      .host(`h-${(round + index) % 50}.example`)
      .path('/', `s-${(round + index) % SERVICES}:80`)
      .build(),
  )
}

function cluster(round: number): Pick<NonNullable<Parameters<typeof snapshot>[0]>, 'services' | 'slices'> {
  const names = Array.from({ length: SERVICES }, (_none, index) => `shop/s-${index}`)
  return {
    services: names.map((name) => service(name, '80')),
    slices: names.map((name, index) => endpointSlice(name).ready(`192.0.2.${1 + ((round + index) % 100)}`)),
  }
}

function idsOf({ routes }: Generation, source: RouteSource): readonly string[] {
  const all = [...routes.hosts.values()].flatMap((host) => host.routes)
  return all.filter((route) => route.source === source).map(({ id }) => id)
}

function mustServe(pair: Pair | undefined): Pair {
  if (!pair) throw new Error('something serves by now')
  return pair
}

function handlesOf({ resources }: WorkerHoldings): Readonly<Record<string, number>> {
  return Object.fromEntries(Object.entries(resources).filter(([kind]) => kind !== 'Immediate'))
}

/** How many this thread has, but for what is over at the end of this turn. */
function resourcesHere(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length
}
