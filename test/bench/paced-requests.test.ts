import { createServer } from 'node:http'
import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { runPacedRequests } from '../../bench/load/paced-requests.ts'
import { listening } from '../fakes/listening.ts'

const CORE = availableParallelism() - 1
const HELD_FROM = 50
const HELD_MS = 700

describe('requests at a stated rate', () => {
  it('are timed from when they were due, also those that waited behind others (R60-11)', async function () {
    this.timeout(60_000)
    let asked = 0
    let heldUntilMs = 0
    const server = createServer((_request, response) => {
      asked += 1
      if (asked === HELD_FROM) heldUntilMs = performance.now() + HELD_MS
      setTimeout(() => response.end('ok'), Math.max(0, heldUntilMs - performance.now()))
    })
    try {
      const port = await listening(server)
      const load = { port, seconds: 1, connections: 2, perSecond: 200 }
      const report = await runPacedRequests(load, CORE)
      // Two requests were under way while the server held all of them up; most of the others were due meanwhile.
      expect(report.faults).to.equal(0)
      expect(report.units).to.equal(200)
      expect(report.p50Ms).to.be.greaterThan(HELD_MS / 7)
      expect(asked).to.equal(report.units)
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })
})
