// What every transport must do; each implementation runs it.
import { expect } from 'chai'
import type { Transport } from '../../src/dataplane/transport/transport.ts'
import { eventually } from '../fakes/clock.ts'
import { openSockets } from '../fakes/open-sockets.ts'
import { TransportBench } from './transport/bench.ts'
import { byteCases } from './transport/bytes.ts'
import { closingCases } from './transport/closing.ts'
import { endCases } from './transport/ends.ts'
import { faultCases } from './transport/faults.ts'
import { handOverCases } from './transport/hand-overs.ts'
import { ownerCases } from './transport/owners.ts'
import { pressureCases } from './transport/pressure.ts'
import { resetCases } from './transport/resets.ts'

const MANY = 1000

export function transportContract(name: string, create: () => Transport): void {
  describe(`${name}: the contract of transports`, function () {
    this.timeout(60_000)
    let bench: TransportBench

    beforeEach(async () => {
      bench = await TransportBench.start(create())
    })

    afterEach(async () => {
      await bench.stop()
      for (const { within } of bench.accepted) expect(within).to.deep.equal([])
    })

    it('has the name by which it is asked for', () => {
      expect(bench.transport.name).to.equal(name)
    })

    describe('bytes', () => byteCases(() => bench))
    describe('back-pressure', () => pressureCases(() => bench))
    describe('the end', () => endCases(() => bench))
    describe('faults', () => faultCases(() => bench))
    describe('a connection of ours whose peer wrote and then reset it', () => resetCases(() => bench))
    describe('close', () => closingCases(() => bench))
    describe('who is told', () => ownerCases(() => bench))
    handOverCases(() => bench)

    it(`carries ${MANY} connections at a time, releases each once, and leaves no handle`, async () => {
      const before = openSockets()
      const callers = Array.from({ length: MANY }, () => bench.connect({ host: '127.0.0.1', port: bench.port }))
      await Promise.all(callers.map((caller) => caller.untilTold('opened')))
      await eventually(() => bench.accepted.length === MANY)
      for (const served of bench.accepted) served.on.received = () => served.send(Buffer.from(served.bytes))
      for (const [index, caller] of callers.entries()) caller.send(`caller ${index};`)
      await Promise.all(callers.map((caller) => caller.when(() => caller.bytes.includes(';'))))
      const answers = callers.map(({ bytes }) => bytes.toString())
      expect(answers).to.deep.equal(callers.map((_, index) => `caller ${index};`))
      for (const caller of callers) caller.call((connection) => connection.close())
      await Promise.all(callers.map((caller) => caller.untilTold('closed')))
      await Promise.all(bench.accepted.map((served) => served.untilTold('ended')))
      for (const served of bench.accepted) served.call((connection) => connection.end())
      await Promise.all(bench.accepted.map((served) => served.untilTold('closed')))
      expect(bench.released).to.equal(MANY)
      expect(openSockets()).to.equal(before)
    })
  })
}
