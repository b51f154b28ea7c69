// Ten thousand random edits under traffic: every answer is one of a generation that was alive while it was asked for,
// and what is left afterwards is what the served and the kept generations need (R00-13, R00-16, R00-21).
import { expect } from 'chai'
import { diffTables } from '../../src/compiler/diff.ts'
import { Publishing } from '../../src/generations/publish.ts'
import type { ProcessTotals } from '../../src/model/counters.ts'
import type { Generation, Pair } from '../../src/model/generation.ts'
import { AliveSites } from '../builders/alive-sites.ts'
import { Dice, editSite, randomSite, tablesOfSite } from '../builders/random-site.ts'
import { FakeLogger } from '../fakes/logger.ts'
import type { RawAnswer } from '../fakes/raw-connection.ts'
import type { WorkerHoldings } from '../fakes/worker-orders.ts'
import { ENGINES_ONCE } from './engines-under-test.ts'
import { realClock, realTimers, until } from './harness.ts'
import { Load, type Question } from './load.ts'
import { type OrderedPlane, type Origin, startOrderedPlane, startOrigin } from './ordered-plane.ts'

const EDITS = 10_000
const WORKERS = 2
const KEPT = 10
const ORIGINS = 24
const CONNECTIONS = 12
const SEED = Math.floor(Math.random() * 1e6)

for (const { title, engine, transport } of ENGINES_ONCE) {
  describe(`random edits under traffic with ${title} (seed ${SEED})`, function () {
    this.timeout(600_000)
    const dice = new Dice(SEED)
    let origins: readonly Origin[] = []
    let addressOf: ReadonlyMap<string, string>
    let plane: OrderedPlane
    let publishing: Publishing
    let sites: AliveSites
    let load: Load | undefined

    before(async () => {
      origins = await Promise.all(Array.from({ length: ORIGINS }, (_none, index) => startOrigin(`o-${index}`)))
      addressOf = new Map(origins.map(({ address }, index) => [`o-${index}`, address]))
      plane = await startOrderedPlane({ workers: WORKERS, engine, transport })
      publishing = new Publishing({
        apply: (pair, kept) => plane.plane.apply(pair, kept),
        clock: realClock,
        timers: realTimers,
        log: new FakeLogger(),
        diff: diffTables,
        recompile: () => Promise.resolve(),
        onReport: () => undefined,
        onAudit: () => undefined,
        historySize: KEPT,
        retryMinMs: 1000,
        retryMaxMs: 60_000,
      })
      sites = new AliveSites(randomSite(dice, [...addressOf.keys()]))
      expect(await publish()).to.equal('applied')
    })

    after(async () => {
      publishing.stop()
      // It would ask on beside the tests that follow one that failed. Who still waits for an answer hears of the end.
      const asked = load?.stop()
      await plane.stop()
      await asked
      for (const origin of origins) origin.stop()
    })

    it('are each answered by a generation that was alive, and leave nothing behind', async () => {
      const [quiet, quietMain] = [await plane.holdings(), resourcesHere()]
      load = new Load({ port: plane.port(), connections: CONNECTIONS, pauseMs: 1, next: ask })
      const { applied, peakRow } = await editAll()
      const { answered, wrong, lost } = await load.stop()
      expect({ wrong, lost }).to.deep.equal({ wrong: [], lost: [] })
      expect(applied).to.be.above(EDITS / 2)
      expect(answered).to.be.above(EDITS / 10)
      // A client may have its answer before the worker has counted the end of it, and of the connection.
      await until(() => isQuiet(plane.plane.totals()))
      expect(plane.plane.totals().fields.requests).to.equal(answered)

      const holders = await lastEdits()
      for (const held of await plane.holdings()) {
        expect(namesOf(held.routeRows)).to.deep.equal(inOrder(holders.generations.flatMap(routeIdsOf)))
        expect(namesOf(held.endpointRows)).to.deep.equal(inOrder(holders.pairs.flatMap(addressesOf)))
        expect(held.heldPairs).to.equal(1)
        // Rows are given again: the numbers did not grow with the edits.
        expect(highestRow(held)).to.be.at.most(peakRow)
        expect(withoutSockets(held)).to.deep.equal(quiet.map(withoutSockets)[held.worker])
      }
      expect(resourcesHere()).to.be.at.most(quietMain)
      await until(() => origins.every((origin) => isServed(origin) || origin.connections() === 0))
    })

    async function publish(): Promise<string> {
      const tables = tablesOfSite(sites.newest, addressOf)
      const { kind } = await publishing.publish({ tables, warnings: [], receivedAtMs: 0 })
      sites.served()
      return kind
    }

    async function edit(): Promise<boolean> {
      sites.publishing(editSite(sites.newest, dice, [...addressOf.keys()]))
      const kind = await publish()
      expect(kind).to.be.oneOf(['applied', 'unchanged'])
      return kind === 'applied'
    }

    /** How many edits changed something, and the highest row that the first tenth of them was given. */
    async function editAll(): Promise<{ readonly applied: number; readonly peakRow: number }> {
      let applied = 0
      let peakRow = 0
      for (let edits = 0; edits < EDITS; edits += 1) {
        if (await edit()) applied += 1
        if (edits < EDITS / 10 && edits % 20 === 0)
          peakRow = Math.max(peakRow, ...(await plane.holdings()).map(highestRow))
      }
      // Sites are of many sizes: the greatest of all has a quarter more names than that of the first tenth, now and then.
      return { applied, peakRow: peakRow * 2 }
    }

    /** Edits until the pairs that the traffic held are gone, and gives what may have rows then. */
    async function lastEdits(): Promise<Holders> {
      let holders: Holders = { generations: [], pairs: [] }
      for (let applied = 0; applied < 3; ) {
        // Rows are taken back at the begin of a publish: those of what was kept and served until then stay.
        const [kept, before] = [publishing.kept(), publishing.current()]
        if (!(await edit())) continue
        applied += 1
        const pairs = [before, publishing.current()].flatMap((pair) => pair ?? [])
        holders = { generations: [...kept, ...pairs.map(({ generation }) => generation)], pairs }
        // The workers have told what they hold no more.
        await plane.holdings()
      }
      return holders
    }

    function ask(): Question {
      const question = sites.ask(dice)
      return { ...question, judge: (answer) => question.judge(saidBy(answer)) }
    }

    function isServed({ address }: Origin): boolean {
      const served = publishing.current()
      return served !== undefined && addressesOf(served).includes(address)
    }
  })
}

/** Whose names have rows of the counters. */
interface Holders {
  readonly generations: readonly Generation[]
  readonly pairs: readonly Pair[]
}

/** `NAME TARGET` of an origin, or the status of Ramjet's own answer. */
function saidBy({ head, body }: RawAnswer): string {
  const status = head.split(' ')[1] ?? ''
  return status === '200' ? body : status
}

function routeIdsOf({ routes }: Generation): readonly string[] {
  const ids = [...routes.hosts.values()].flatMap((host) => host.routes.map(({ id }) => id))
  return routes.defaultRoute ? [...ids, routes.defaultRoute.id] : ids
}

function addressesOf({ endpoints }: Pair): readonly string[] {
  return [...endpoints.table.byBackend.values()].flatMap((one) => one.endpoints.map(({ address }) => address))
}

function namesOf(rows: WorkerHoldings['routeRows']): readonly string[] {
  return inOrder(rows.map(([name]) => name))
}

function inOrder(names: readonly string[]): readonly string[] {
  return [...new Set(names)].toSorted()
}

function highestRow({ routeRows, endpointRows }: WorkerHoldings): number {
  return Math.max(...[...routeRows, ...endpointRows].map(([, row]) => row))
}

/** Handles and timers of a worker, but for connections, whose number is that of the traffic. */
function withoutSockets({ resources }: WorkerHoldings): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(resources).filter(([kind]) => kind !== 'TCPSocketWrap' && kind !== 'Immediate'),
  )
}

/** Whether nothing is under way any more. */
function isQuiet({ fields }: ProcessTotals): boolean {
  return fields.requestsInFlight === 0 && fields.activeConnections === 0
}

/** How many there are of this thread, which has the other ends of those connections, and what other tests left. */
function resourcesHere(): number {
  return process.getActiveResourcesInfo().filter((kind) => !kind.startsWith('TCP') && kind !== 'Immediate').length
}
