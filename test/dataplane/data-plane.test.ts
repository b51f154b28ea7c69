import { expect } from 'chai'
import { pairOf, routeIdOf, type Sites } from '../builders/pair.ts'
import { askOn, type Harness, type HarnessOptions, startHarness, until } from './harness.ts'

const WEB: Sites = { 'web.example': ['192.0.2.1:80'] }

/** A worker that says of every pair that it built another one, and assigns whatever it is told to. */
const LIAR = `
  import { parentPort, workerData } from 'node:worker_threads'
  setInterval(() => Atomics.add(new Int32Array(workerData.heartbeat), 0, 1), workerData.heartbeatMs)
  parentPort.on('message', ({ kind, sequence }) => {
    const digest = 'f'.repeat(32)
    if (kind === 'build') parentPort.postMessage({ kind: 'built', sequence, digest, endpointsDigest: digest })
    if (kind === 'assign') parentPort.postMessage({ kind: 'assigned', sequence })
    if (kind === 'listen') parentPort.postMessage({ kind: 'listening', bound: [] })
    if (kind === 'drain') parentPort.postMessage({ kind: 'drained', cut: { requests: 0, streams: 0, tunnels: 0 } })
  })
`

describe('the data plane', function () {
  this.timeout(60_000)
  let harness: Harness
  afterEach(() => harness.stop())

  async function serving(options: HarnessOptions = {}): Promise<Harness> {
    harness = await startHarness(options)
    expect(await harness.plane.apply(pairOf(WEB))).to.deep.equal({ kind: 'applied' })
    return harness
  }

  it('listens only after its first pair, then on one port for all workers (R20-22)', async () => {
    harness = await startHarness({ workers: 3 })
    expect(harness.port()).to.equal(0)
    await harness.plane.apply(pairOf(WEB))
    expect(harness.port()).to.be.above(0)
    expect(harness.plane.workers().map(({ state, generation }) => ({ state, generation }))).to.deep.equal(
      [1, 2, 3].map(() => ({ state: 'serving', generation: 1 })),
    )
    const connections = await harness.connectToEach('web.example')
    expect(connections.size).to.equal(3)
  })

  it('serves the next request of an open connection by the pair that was assigned last (R00-13)', async () => {
    await serving()
    const connections = await harness.connectToEach('web.example')
    await harness.plane.apply(pairOf({ 'web.example': ['192.0.2.2:80'] }, { generation: 1, version: 2 }))
    for (const connection of connections.values()) {
      const answer = await askOn(connection, 'web.example')
      expect(answer).to.include({ generation: 1, endpointsVersion: 2, endpoint: '192.0.2.2:80' })
    }
  })

  it('answers every request right while pairs are published under traffic', async () => {
    await serving()
    let published = 1
    const traffic = { isDone: false }
    const ask = async (): Promise<number> => {
      const connection = await harness.connect()
      let asked = 0
      while (!traffic.isDone) {
        const oldest = published
        const { generation, endpoint, status } = await askOn(connection, 'web.example')
        expect(generation).to.be.at.least(oldest)
        expect({ endpoint, status }).to.deep.equal({ endpoint: `192.0.2.${generation}:80`, status: 200 })
        asked += 1
      }
      return asked
    }
    const clients = Promise.all([ask(), ask(), ask(), ask()])
    for (let generation = 2; generation <= 100; generation += 1) {
      const pair = pairOf({ 'web.example': [`192.0.2.${generation}:80`] }, { generation })
      expect(await harness.plane.apply(pair)).to.deep.equal({ kind: 'applied' })
      published = generation
    }
    traffic.isDone = true
    const asked = (await clients).reduce((sum, count) => sum + count, 0)
    expect(asked).to.be.above(100)
    expect(harness.plane.totals().fields.requests).to.equal(asked)
    expect(harness.plane.routeTotals(routeIdOf('web.example')).requests).to.equal(asked)
  })

  it('keeps the last good pair everywhere when one of four workers refuses (R00-11)', async () => {
    await serving({ workers: 4 })
    const connections = await harness.connectToEach('web.example')
    const outcome = await harness.plane.apply(pairOf({ ...WEB, 'refuse-2.fault.example': [] }, { generation: 2 }))
    expect(outcome).to.deep.equal({ kind: 'refused', reason: 'other', message: 'refused by a test' })
    for (const connection of connections.values()) {
      expect((await askOn(connection, 'web.example')).generation).to.equal(1)
    }
    expect(await harness.plane.apply(pairOf({ ...WEB, 'new.example': [] }, { generation: 3 }))).to.deep.equal({
      kind: 'applied',
    })
    for (const connection of connections.values()) {
      expect((await askOn(connection, 'new.example')).generation).to.equal(3)
    }
    expect(harness.plane.workerRestarts()).to.deep.equal({ exception: 0, stall: 0, memory: 0, exit: 0, publish: 0 })
  })

  it('refuses a pair whose digest is not that of its elements (R30-10)', async () => {
    await serving()
    const good = pairOf({ ...WEB, 'new.example': [] }, { generation: 2 })
    const routes = { ...good.generation.routes, digest: 'f'.repeat(32) }
    const bad = { ...good, generation: { ...good.generation, digest: routes.digest, routes } }
    expect(await harness.plane.apply(bad)).to.include({ kind: 'refused', reason: 'digest' })
    expect(await harness.plane.apply(good)).to.deep.equal({ kind: 'applied' })
  })

  it('takes no acknowledgement of digests that it did not send (R00-10)', async () => {
    harness = await startHarness({
      workers: 1,
      workerEntry: new URL(`data:text/javascript,${encodeURIComponent(LIAR)}`),
    })
    expect(await harness.plane.apply(pairOf(WEB))).to.include({ kind: 'refused', reason: 'digest' })
  })

  for (const [kind, reason] of [
    ['exit', 'other'],
    ['heap', 'memory'],
  ] as const) {
    it(`takes a death by ${kind} while building for a refusal, and gives the successor the pair before (R00-12)`, async () => {
      await serving({ workers: 2, workerHeapMb: 48, timing: { stallMs: 60_000, silenceMs: 60_000 } })
      const host = `${kind}-1.fault.example`
      const outcome = await harness.plane.apply(pairOf({ ...WEB, [host]: [] }, { generation: 2 }))
      expect(outcome).to.include({ kind: 'refused', reason })
      expect((await harness.ask('web.example')).generation).to.equal(1)
      await until(() => harness.plane.workers().every(({ state }) => state === 'serving'))
      for (const connection of (await harness.connectToEach('web.example')).values()) {
        expect((await askOn(connection, 'web.example')).generation).to.equal(1)
      }
      expect(harness.plane.workerRestarts()).to.include({ publish: 1 })
    })
  }

  it('leaves out a worker that says nothing while it builds, and replaces it (R30-10)', async () => {
    await serving({ workers: 2, timing: { silenceMs: 3_000 } })
    const pair = pairOf({ ...WEB, 'spin-1.fault.example': [] }, { generation: 2 })
    expect(await harness.plane.apply(pair)).to.deep.equal({ kind: 'applied' })
    const other = await harness.connectTo(0, 'web.example')
    expect((await askOn(other, 'web.example')).generation).to.equal(2)
    expect(harness.plane.workerRestarts()).to.include({ publish: 1 })
  })

  it('tries a generation that killed workers on one of them only, and its deaths spend no budget (R30-12)', async () => {
    const restarts = { minDelayMs: 1, maxDelayMs: 1, budget: 2, windowMs: 60_000 }
    await serving({ workers: 2, timing: { restarts } })
    const deadly = pairOf({ ...WEB, 'exit-any.fault.example': [] }, { generation: 2 })
    for (const deaths of [2, 3, 4, 5]) {
      expect(await harness.plane.apply(deadly)).to.include({ kind: 'refused' })
      expect(harness.plane.workerRestarts()).to.include({ publish: deaths })
      await until(() => harness.plane.workers().every(({ state }) => state === 'serving'))
    }
    expect(harness.plane.healthy()).to.equal(true)
    expect(await harness.plane.apply(pairOf(WEB, { generation: 3 }))).to.deep.equal({ kind: 'applied' })
  })

  it('refuses a pair that no worker acknowledges', async () => {
    await serving({ workers: 2, timing: { silenceMs: 3_000 } })
    const outcome = await harness.plane.apply(pairOf({ ...WEB, 'spin-any.fault.example': [] }, { generation: 2 }))
    expect(outcome).to.deep.equal({ kind: 'refused', reason: 'other', message: 'no worker acknowledged' })
    await until(() => harness.plane.workers().every(({ state }) => state === 'serving'))
    expect((await harness.ask('web.example')).generation).to.equal(1)
  })

  for (const [path, reason, stallMs] of [
    ['/exit', 'exit', 60_000],
    ['/heap', 'memory', 60_000],
    ['/spin', 'stall', 2_000],
    ['/throw', 'exception', 60_000],
  ] as const) {
    it(`replaces a worker after ${path}, with the pair assigned last, and harms no connection of others`, async () => {
      await serving({ workers: 2, workerHeapMb: 48, timing: { stallMs, failingGraceMs: 200 } })
      await harness.plane.apply(pairOf({ 'web.example': ['192.0.2.9:80'] }, { generation: 5 }))
      const [victim, bystander] = [...(await harness.connectToEach('web.example')).values()]
      if (!victim || !bystander) throw new TypeError('two workers were asked for')
      void victim.ask('web.example', path).catch(() => undefined)
      await victim.closed()
      await until(() => harness.plane.workers().every(({ state }) => state === 'serving'))
      expect((await askOn(bystander, 'web.example')).generation).to.equal(5)
      const answers = await Promise.all(
        [...(await harness.connectToEach('web.example')).values()].map((one) => askOn(one, 'web.example')),
      )
      expect(answers.map(({ generation }) => generation)).to.deep.equal([5, 5])
      expect(harness.plane.workerRestarts()[reason]).to.equal(1)
      expect(harness.plane.healthy()).to.equal(true)
      expect(await harness.plane.apply(pairOf(WEB, { generation: 6 }))).to.deep.equal({ kind: 'applied' })
    })
  }

  it('keeps a lone worker that threw listening until its successor does (R70-123)', async () => {
    await serving({ workers: 1, timing: { failingGraceMs: 100 } })
    const first = await harness.ask('web.example')
    const thrower = await harness.connect()
    void thrower.ask('web.example', '/throw').catch(() => undefined)
    // A connection may end with the worker that took it, but none is ever refused.
    let column = first.column
    while (column === first.column) {
      const connection = await harness.connect().catch(endedOnceTaken)
      if (!connection) continue
      column = await askOn(connection, 'web.example').then(
        (answer) => answer.column,
        () => column,
      )
      connection.close()
    }
    expect((await harness.ask('web.example')).worker).to.equal(0)
  })

  it('keeps counts over the death of a worker and clears what it had open (R00-15)', async () => {
    await serving({ workers: 2 })
    const [victim, other] = [...(await harness.connectToEach('web.example')).values()]
    const holder = await harness.connect()
    if (!victim || !other) throw new TypeError('two workers were asked for')
    const before = harness.plane.totals().fields.requests
    for (const connection of [victim, other]) for (let i = 0; i < 10; i += 1) await askOn(connection, 'web.example')
    void holder.ask('web.example', '/hold').catch(() => undefined)
    await until(() => harness.plane.routeTotals(routeIdOf('web.example')).inFlight === 1)
    for (const connection of [victim, other]) void connection.ask('web.example', '/exit').catch(() => undefined)
    await Promise.all([victim.closed(), other.closed(), holder.closed()])
    await until(() => harness.plane.workerRestarts().exit === 2)
    await until(() => harness.plane.workers().every(({ state }) => state === 'serving'))
    const totals = harness.plane.routeTotals(routeIdOf('web.example'))
    expect({ requests: totals.requests - before, inFlight: totals.inFlight }).to.deep.equal({
      requests: 20,
      inFlight: 0,
    })
    expect(harness.plane.totals().fields).to.include({ activeConnections: 0, requests: before + 20 })
    await harness.ask('web.example')
    expect(harness.plane.routeTotals(routeIdOf('web.example')).requests).to.equal(before + 21)
  })

  it('gives up a worker that dies too often, and tells when none is left (R70-123)', async () => {
    const restarts = { minDelayMs: 1, maxDelayMs: 1, budget: 2, windowMs: 60_000 }
    await serving({ workers: 2, timing: { restarts } })
    const kill = async (index: number): Promise<void> => {
      const before = harness.plane.workerRestarts().exit
      const victim = await harness.connectTo(index, 'web.example')
      void victim.ask('web.example', '/exit').catch(() => undefined)
      await until(() => harness.plane.workerRestarts().exit > before)
    }
    await kill(0)
    expect(harness.plane.healthy()).to.equal(true)
    await kill(0)
    expect(harness.plane.healthy()).to.equal(false)
    expect(harness.plane.workers().map(({ state }) => state)).to.deep.equal(['dead', 'serving'])
    expect((await harness.ask('web.example')).worker).to.equal(1)
    await kill(1)
    expect(harness.fatal).to.have.length(0)
    await kill(1)
    expect(harness.fatal.map(({ code }) => code)).to.deep.equal(['RAMJET_WORKERS_LOST'])
    expect(await harness.plane.apply(pairOf(WEB, { generation: 2 }))).to.include({ kind: 'refused' })
  })

  it('drains: answers say close, listeners and idle connections close, requests finish (R20-166, R20-167)', async () => {
    await serving({ workers: 2 })
    const [idle, busy] = [await harness.connect(), await harness.connect()]
    await askOn(idle, 'web.example')
    harness.plane.startDraining()
    const { head } = await (await harness.connect()).ask('web.example')
    expect(head).to.match(/connection: close/i)
    const held = busy.ask('web.example', '/hold').catch(() => undefined)
    await until(() => harness.plane.routeTotals(routeIdOf('web.example')).inFlight === 1)
    // Idle connections go after a second of it: the rest is for a machine that tells both ends late.
    const report = harness.plane.drain({ graceMs: 5_000 })
    await idle.closed()
    expect(busy.isClosed).to.equal(false)
    expect(await report).to.deep.equal({ requests: 1, streams: 0, tunnels: 0 })
    await held
    expect(harness.log.of('warn').map(({ message }) => message)).to.include('shutdown grace period expired')
    await harness.connect().then(
      () => expect.fail('a closed listener took a connection'),
      () => undefined,
    )
  })

  it('refuses what comes after the end', async () => {
    await serving()
    await harness.plane.drain({ graceMs: 100 })
    expect(await harness.plane.apply(pairOf(WEB, { generation: 2 }))).to.include({ kind: 'refused' })
  })

  it('ends a drain as soon as nothing is left', async () => {
    await serving({ workers: 2 })
    // Longer than this test may take.
    expect(await harness.plane.drain({ graceMs: 600_000 })).to.deep.equal({ requests: 0, streams: 0, tunnels: 0 })
  })
})

/** Nobody, where the kernel took a connection that ended before this thread saw it; throws for one that it refused. */
function endedOnceTaken(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ECONNRESET') throw error
}
