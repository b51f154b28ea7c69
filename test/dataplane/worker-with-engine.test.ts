// What a worker and its engine do only together.
import { connect } from 'node:net'
import { expect } from 'chai'
import { pairOf } from '../builders/pair.ts'
import { ENGINES_UNDER_TEST } from './engines-under-test.ts'
import { until } from './harness.ts'
import { type OrderedPlane, type Origin, startOrderedPlane, startOrigin } from './ordered-plane.ts'

for (const { title, engine, transport } of ENGINES_UNDER_TEST) {
  describe(`a worker with ${title}`, function () {
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

    function gauges(): { readonly connections: number; readonly tunnels: number } {
      const { activeConnections, tunnels } = plane.plane.totals().fields
      return { connections: activeConnections, tunnels }
    }

    it('counts a connection once, and no more when it is closed', async () => {
      const connection = await plane.connect()
      expect(await connection.ask('web.example', '/x')).to.include({ body: 'web /x' })
      expect(gauges()).to.deep.equal({ connections: 1, tunnels: 0 })
      connection.close()
      await until(() => gauges().connections === 0)
    })

    it('counts an upgraded connection as a connection and a tunnel', async () => {
      const socket = connect({ host: '127.0.0.1', port: plane.port() })
      socket.write('GET / HTTP/1.1\r\nHost: web.example\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
      await until(() => gauges().tunnels > 0)
      expect(gauges()).to.deep.equal({ connections: 1, tunnels: 1 })
      socket.destroy()
      await until(() => gauges().tunnels + gauges().connections === 0)
    })
  })
}
