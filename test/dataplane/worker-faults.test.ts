// A worker of the real engine fails under load: what it costs, and whom (R70-121 to R70-126, R30-14).
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { DataPlaneTiming } from '../../src/dataplane/data-plane-settings.ts'
import type { RestartReason } from '../../src/dataplane/restart-reason.ts'
import type { Pair, PublishFailure } from '../../src/model/generation.ts'
import { pairOf } from '../builders/pair.ts'
import type { LogRecord } from '../fakes/logger.ts'
import { type Order, THROW_PLACES } from '../fakes/worker-orders.ts'
import { ENGINES_ONCE } from './engines-under-test.ts'
import { until } from './harness.ts'
import { Load, type LoadReport, type Question } from './load.ts'
import { type OrderedPlane, type Origin, startOrderedPlane, startOrigin } from './ordered-plane.ts'

const WORKERS = 4
const VICTIM = 2
const CONNECTIONS = 20
const PAUSE_MS = 10
const HOST = 'web.example'
/** From its detection to the start of its successor (R70-123). */
const SUCCESSOR_MS = 1_000
/** For faults that the main thread is told of: a worker that a busy machine starves meanwhile has not stalled. */
const PATIENT: Partial<DataPlaneTiming> = { stallMs: 60_000, silenceMs: 60_000 }

/** Whether the successor started in time, and what it served first. */
interface Succession {
  readonly isInTime: boolean
  readonly generation: number
}

const everywhere = (generation: number): readonly number[] => Array.from({ length: WORKERS }, () => generation)

for (const { title, engine, transport } of ENGINES_ONCE) {
  describe(`a worker that fails under load with ${title}`, function () {
    this.timeout(120_000)
    let origin: Origin
    let plane: OrderedPlane
    let load: Load
    /** Ports of the connections that the victim has before it fails. */
    let victims: ReadonlySet<number>
    /** What was started, to be ended the other way round: also where a test fails before it has started all. */
    const ends: (() => Promise<unknown>)[] = []

    beforeEach(async () => {
      origin = await startOrigin('web')
    })

    afterEach(async () => {
      for (const end of ends.splice(0).toReversed()) await end()
      origin.stop()
    })

    /** Load on every worker, with generation 5 assigned last. */
    async function underLoad(timing: Partial<DataPlaneTiming> = {}): Promise<void> {
      plane = await startOrderedPlane({ workers: WORKERS, engine, transport, workerHeapMb: 48, timing })
      ends.push(() => plane.stop())
      await publish(1)
      await publish(5)
      await spreadLoad()
      victims = new Set(portsOf(VICTIM))
    }

    /** The kernel spreads connections as it likes: tries again until every worker has one that was answered. */
    async function spreadLoad(): Promise<void> {
      for (;;) {
        load = new Load({ port: plane.port(), connections: CONNECTIONS, pauseMs: PAUSE_MS, next: askWeb })
        const started = load
        ends.push(() => started.stop())
        // One that nobody has told of yet could be the victim's, and would not be counted as such.
        await until(
          () => load.ports.length === CONNECTIONS && load.ports.every((port) => plane.workerOf(port) !== undefined),
        )
        await flow(100)
        const isEverywhere = Array.from({ length: WORKERS }, (_none, worker) => portsOf(worker)).every(
          ({ length }) => length,
        )
        if (isEverywhere) return
        await load.stop()
      }
    }

    function pairWith(generation: number): Pair {
      return pairOf({ [HOST]: [origin.address], [`g-${generation}.example`]: [] }, { generation })
    }

    async function publish(generation: number): Promise<void> {
      expect(await plane.plane.apply(pairWith(generation))).to.deep.equal({ kind: 'applied' })
    }

    function generations(): readonly number[] {
      return plane.plane.workers().map(({ generation }) => generation)
    }

    function portsOf(worker: number): readonly number[] {
      return load.ports.filter((port) => plane.workerOf(port) === worker)
    }

    async function flow(answers: number): Promise<void> {
      const goal = load.answered + answers
      await until(() => load.answered >= goal)
    }

    /**
     * Watches the victim's place from detection to the successor's first answer. In time is what this thread did before
     * its own timer of so long went off: what all these workers and clients do to a small machine is no part of it.
     */
    async function succession(): Promise<Succession> {
      const state = (): string | undefined => plane.plane.workers()[VICTIM]?.state
      await until(() => state() === 'restarting')
      const isInTime = sleep(SUCCESSOR_MS).then(() => state() !== 'restarting')
      await until(() => state() === 'serving')
      const generation = plane.plane.workers()[VICTIM]?.generation ?? 0
      return { isInTime: await isInTime, generation }
    }

    function restarts(): Readonly<Partial<Record<RestartReason, number>>> {
      return Object.fromEntries(Object.entries(plane.plane.workerRestarts()).filter(([, count]) => count > 0))
    }

    function toldStalls(): readonly LogRecord[] {
      return plane.log.of('error').filter(({ message }) => message === 'where a stalled worker was')
    }

    /** The function that the log names (R70-121). */
    async function whereItStalled(): Promise<string | undefined> {
      await until(() => toldStalls().length > 0)
      const fields = toldStalls()[0]?.fields
      expect(fields).to.include({ worker: VICTIM })
      const frames: unknown = fields?.['frames']
      return Array.isArray(frames) ? frames[0] : undefined
    }

    /** Every answer was right, and no question was lost but those that the victim had. */
    async function onlyTheVictimLost(): Promise<LoadReport> {
      await successorAnswers()
      await flow(100)
      const report = await load.stop()
      expect(report.wrong).to.deep.equal([])
      // A connection that got no answer at all waited in the queue of the victim's listener (R70-124).
      const others = report.lost.filter(({ port, answeredBefore }) => answeredBefore > 0 && !victims.has(port))
      expect(others).to.deep.equal([])
      return report
    }

    /** The kernel chooses who takes a connection: asks until the victim's place did. */
    async function successorAnswers(): Promise<void> {
      for (let taker: number | undefined; taker !== VICTIM; ) {
        const connection = await plane.connect()
        const { localPort } = connection
        const answer = await connection.ask(HOST).catch(() => undefined)
        connection.close()
        if (answer) taker = plane.workerOf(localPort)
      }
    }

    const FAULTS: readonly {
      readonly order: Order
      readonly reason: RestartReason
      readonly timing: Partial<DataPlaneTiming>
    }[] = [
      { order: { kind: 'exit' }, reason: 'exit', timing: PATIENT },
      { order: { kind: 'spin' }, reason: 'stall', timing: { profileMs: 45_000 } },
      { order: { kind: 'heap' }, reason: 'memory', timing: PATIENT },
    ]
    for (const { order, reason, timing } of FAULTS) {
      it(`by ${order.kind}: costs its own connections, and a successor with the last pair comes soon (R70-123)`, async () => {
        await underLoad(timing)
        await plane.order(VICTIM, order)
        expect(await succession()).to.deep.equal({ isInTime: true, generation: 5 })
        expect(restarts()).to.deep.equal({ [reason]: 1 })
        const { lost } = await onlyTheVictimLost()
        expect(lost).not.to.have.length(0)
        if (order.kind === 'spin') expect(await whereItStalled()).to.match(/^(die|obey) ordered-worker\.ts:\d+$/)
      })
    }

    for (const place of THROW_PLACES) {
      it(`by a throw in a callback (${place}): drains, and a successor with the last pair comes soon (R70-123)`, async () => {
        await underLoad({ failingGraceMs: 1_000 })
        await plane.order(VICTIM, { kind: 'throw', place })
        const succeeded = succession()
        const provoked = provoke(place)
        expect(await succeeded).to.deep.equal({ isInTime: true, generation: place === 'assignment' ? 6 : 5 })
        await provoked
        expect(restarts()).to.deep.equal({ exception: 1 })
        await until(() => !load.ports.some((port) => victims.has(port)))
        await onlyTheVictimLost()
        const failed = plane.log.of('error').filter(({ message }) => message === 'a worker failed')
        expect(failed.map(({ fields }) => fields['reason'])).to.deep.equal([`ordered to throw in a callback: ${place}`])
      })
    }

    const DEADLY: readonly { readonly fault: 'exit' | 'heap'; readonly reason: PublishFailure }[] = [
      { fault: 'exit', reason: 'other' },
      { fault: 'heap', reason: 'memory' },
    ]
    for (const { fault, reason } of DEADLY) {
      it(`by ${fault} while it builds: the last good pair stays everywhere, and the next is served by all (R30-14)`, async () => {
        await underLoad(PATIENT)
        await plane.order(VICTIM, { kind: 'build', fault })
        const succeeded = succession()
        expect(await plane.plane.apply(pairWith(6))).to.include({ kind: 'refused', reason })
        expect(await succeeded).to.deep.equal({ isInTime: true, generation: 5 })
        expect(generations()).to.deep.equal(everywhere(5))
        expect(restarts()).to.deep.equal({ publish: 1 })
        await publish(7)
        expect(generations()).to.deep.equal(everywhere(7))
        await onlyTheVictimLost()
      })
    }

    const HARMLESS: readonly { readonly fault: 'throw' | 'lose'; readonly reason: PublishFailure }[] = [
      { fault: 'throw', reason: 'other' },
      { fault: 'lose', reason: 'digest' },
    ]
    for (const { fault, reason } of HARMLESS) {
      it(`to build (${fault}): the last good pair stays everywhere, the next is served by all, nobody loses (R30-14)`, async () => {
        await underLoad()
        await plane.order(VICTIM, { kind: 'build', fault })
        expect(await plane.plane.apply(pairWith(6))).to.include({ kind: 'refused', reason })
        expect(generations()).to.deep.equal(everywhere(5))
        await publish(7)
        expect(generations()).to.deep.equal(everywhere(7))
        expect(restarts()).to.deep.equal({})
        expect((await onlyTheVictimLost()).lost).to.deep.equal([])
      })
    }

    it('by a spin while it builds: the others get the pair without it, and then its successor does (R30-10)', async () => {
      await underLoad()
      await plane.order(VICTIM, { kind: 'build', fault: 'spin' })
      const succeeded = succession()
      await publish(6)
      expect(generations().filter((generation) => generation === 6)).to.have.length.of.at.least(WORKERS - 1)
      expect(await succeeded).to.deep.equal({ isInTime: true, generation: 6 })
      expect(restarts()).to.deep.equal({ publish: 1 })
      await onlyTheVictimLost()
    })

    /** Makes the callback come in which the victim throws, where the load does not. */
    async function provoke(place: (typeof THROW_PLACES)[number]): Promise<void> {
      if (place === 'assignment') {
        await publish(6)
        return
      }
      if (place !== 'connection' && place !== 'upgrade') return
      const sockets = []
      while (Object.keys(restarts()).length === 0) {
        const socket = connect({ host: '127.0.0.1', port: plane.port() })
        socket.on('error', () => socket.destroy())
        socket.write(`GET / HTTP/1.1\r\nHost: ${HOST}\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n`)
        sockets.push(socket)
        await flow(1)
      }
      for (const socket of sockets) socket.destroy()
    }
  })
}

let asked = 0

/** A question with a number, so that nobody gets somebody else's answer unseen. */
function askWeb(): Question {
  asked += 1
  const path = `/${asked}`
  return {
    host: HOST,
    path,
    judge: ({ head, body }) =>
      head.startsWith('HTTP/1.1 200 ') && body === `web ${path}` ? undefined : `${path} got ${head} ${body}`,
  }
}
