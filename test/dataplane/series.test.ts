import { connect } from 'node:net'
import { expect } from 'chai'
import { collectFamilies } from '../../src/observability/metrics.ts'
import { metricsText } from '../../src/observability/metrics-text.ts'
import { sourcesWith } from '../builders/metric-sources.ts'
import { pairOf } from '../builders/pair.ts'
import { ENGINES_ONCE } from './engines-under-test.ts'
import { until } from './harness.ts'
import { type OrderedPlane, type Origin, startOrderedPlane, startOrigin } from './ordered-plane.ts'

const REQUESTS = 200

for (const { title, engine, transport } of ENGINES_ONCE) {
  describe(`what clients send to ${title}`, function () {
    this.timeout(60_000)
    let origin: Origin
    let plane: OrderedPlane

    beforeEach(async () => {
      origin = await startOrigin('web')
      plane = await startOrderedPlane({ workers: 1, engine, transport })
      await plane.plane.apply(pairOf({ 'web.example': [origin.address] }))
    })

    afterEach(async () => {
      await plane.stop()
      origin.stop()
    })

    /** Every line of a scrape without its value. */
    function series(): readonly string[] {
      const { plane: read } = plane
      const sources = sourcesWith({
        totals: () => read.totals(),
        workerRestarts: () => read.workerRestarts(),
        loopDelays: () => read.takeLoopDelays(),
      })
      return metricsText(collectFamilies(sources), 'prometheus')
        .split('\n')
        .map((line) => line.replace(/ [^ ]*$/, ''))
    }

    it('adds no series, whatever the hosts, paths, methods and fields are (R34-2, R34-9)', async () => {
      const before = series()
      for (let sent = 0; sent < REQUESTS; sent += 1) send(randomRequest(sent))
      await until(() => plane.plane.totals().fields.requests === REQUESTS)
      await until(() => plane.plane.totals().fields.activeConnections === 0)
      expect(plane.plane.totals().fields.responses2xx).to.be.above(0)
      expect(plane.plane.totals().fields.responses4xx).to.be.above(0)
      expect(series()).to.deep.equal(before)
    })

    function send(text: string): void {
      const socket = connect({ host: '127.0.0.1', port: plane.port() })
      socket.on('error', () => socket.destroy())
      socket.on('end', () => socket.destroy())
      socket.resume()
      socket.write(text)
    }
  })
}

/** No two are alike. Every other one has a route, and some have no form that a request may have. */
function randomRequest(at: number): string {
  const word = Math.random().toString(36).slice(2)
  const method = ['GET', 'HEAD', 'DELETE', 'OPTIONS'][at % 4]
  const host = at % 2 === 0 ? 'web.example' : `${word}.example`
  const field = at % 7 === 0 ? `bad name ${word}` : `X-${word}_${at}`
  return `${method} /${word}?${word}=${at} HTTP/1.1\r\nHost: ${host}\r\n${field}: ${word}\r\nConnection: close\r\n\r\n`
}
