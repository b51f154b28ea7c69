// What a thousand publishes leave behind, and what a request holds (R00-16, R00-21).
import { expect } from 'chai'
import type { Pair } from '../../src/model/generation.ts'
import { pairOf, routeIdOf, type Sites } from '../builders/pair.ts'
import type { WorkerAnswer } from '../fakes/test-engine.ts'
import { askOn, type Harness, startHarness, until } from './harness.ts'

describe('publishing', function () {
  this.timeout(120_000)
  let harness: Harness
  beforeEach(async () => {
    harness = await startHarness()
  })
  afterEach(() => harness.stop())

  async function publish(pair: Pair, kept: readonly number[] = []): Promise<void> {
    expect(await harness.plane.apply(pair, kept)).to.deep.equal({ kind: 'applied' })
  }

  it('leaves rows and handles of a thousand publishes that are what the served pair needs (R00-21)', async () => {
    await publish(churned(1))
    const connections = [...(await harness.connectToEach('stays.example')).values()]
    const look = (): Promise<WorkerAnswer[]> => Promise.all(connections.map((one) => askOn(one, 'stays.example')))
    for (let generation = 2; generation <= 20; generation += 1) await publish(churned(generation))
    const early = await look()
    const handles = resourcesHere()
    for (let generation = 21; generation <= 1_000; generation += 1) await publish(churned(generation))
    const late = await look()
    expect(late.map(({ resources }) => resources)).to.deep.equal(early.map(({ resources }) => resources))
    // What a turn of the event loop has begun is over with a later one; what leaks never is.
    await until(() => resourcesHere() <= handles)
    // Two names differ from pair to pair. Rows go with the publish after next at the latest: of three pairs at most.
    for (const { routeRows, endpointRows } of late) expect(Math.max(routeRows, endpointRows)).to.be.at.most(1 + 3 * 2)
    expect(harness.plane.routeTotals(routeIdOf('stays.example')).requests).to.be.at.least(6)
  })

  it('gives a row away only when no request can choose from a pair that names it (R00-16)', async () => {
    await publish(pairOf({ 'old.example': ['192.0.2.1:80'], 'stays.example': [] }))
    const [holder] = (await harness.connectToEach('stays.example')).values()
    void holder?.ask('stays.example', '/hold').catch(() => undefined)
    await until(() => harness.plane.routeTotals(routeIdOf('stays.example')).inFlight === 1)
    await harness.ask('old.example')
    for (let generation = 2; generation <= 5; generation += 1) await publish(withoutOld(generation))
    expect(harness.plane.routeTotals(routeIdOf('old.example')).requests).to.equal(1)
    holder?.close()
    await until(() => harness.plane.routeTotals(routeIdOf('stays.example')).inFlight === 0)
    for (let generation = 6; generation <= 8; generation += 1) await publish(withoutOld(generation))
    expect(harness.plane.routeTotals(routeIdOf('old.example')).requests).to.equal(0)
  })

  it('keeps the counts of a kept generation, so that a roll-back goes on counting', async () => {
    const first = pairOf({ 'old.example': ['192.0.2.1:80'] })
    await publish(first, [1])
    await harness.ask('old.example')
    for (let generation = 2; generation <= 4; generation += 1) await publish(withoutOld(generation), [1, generation])
    await publish(first, [1, 4])
    await harness.ask('old.example')
    expect(harness.plane.routeTotals(routeIdOf('old.example')).requests).to.equal(2)
    for (let generation = 5; generation <= 7; generation += 1) await publish(withoutOld(generation), [generation])
    expect(harness.plane.routeTotals(routeIdOf('old.example')).requests).to.equal(0)
  })

  it('takes the rows back that it gave to a pair that was refused', async () => {
    await publish(withoutOld(1))
    const [connection] = (await harness.connectToEach('stays.example')).values()
    for (let generation = 2; generation <= 10; generation += 1) {
      const refused: Sites = { 'stays.example': [], [`n-${generation}.example`]: [], 'refuse-0.fault.example': [] }
      expect(await harness.plane.apply(pairOf(refused, { generation }))).to.include({ kind: 'refused' })
    }
    await publish(withoutOld(11))
    if (connection) expect((await askOn(connection, 'stays.example')).routeRows).to.equal(1)
  })
})

function churned(generation: number): Pair {
  const sites = {
    'stays.example': ['192.0.2.1:80'],
    [`a-${generation}.example`]: [`192.0.2.2:${generation}`],
    [`b-${generation}.example`]: [`192.0.2.3:${generation}`],
  }
  return pairOf(sites, { generation })
}

function withoutOld(generation: number): Pair {
  return pairOf({ 'stays.example': [`192.0.2.9:${generation}`] }, { generation })
}

/** What keeps this thread from ending, but for what is over with this turn of its event loop. */
function resourcesHere(): number {
  return process.getActiveResourcesInfo().filter((kind) => kind !== 'Immediate').length
}
