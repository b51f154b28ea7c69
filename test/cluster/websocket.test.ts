import { expect } from 'chai'
import { eventually } from './support/eventually.ts'
import { scene } from './support/scene.ts'
import { TestSocket } from './support/websocket.ts'

const PUBLISHES = 100

describe('a WebSocket', () => {
  const stage = scene()

  it(`lives through ${PUBLISHES} publishes`, async function () {
    this.timeout(120_000)
    const { ramjet, namespace } = stage
    const [host, churn] = [namespace.host('chat'), namespace.host('churn')]
    await namespace.service('web')
    await namespace.ingress('chat', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')
    const socket = await TestSocket.open(ramjet.target(`http://${host}/socket`))
    try {
      await namespace.compiled(ramjet)
      const first = await ramjet.serving()
      for (let publish = 1; publish <= PUBLISHES; publish += 1) {
        await namespace.ingress('churn', { [churn]: { [`/${publish}`]: 'web' } })
        await ramjet.serves(`http://${churn}/${publish}`, 'web')
        expect(await socket.exchange(`message ${publish}`)).to.equal(`web-1: message ${publish}`)
      }
      await eventually(async () =>
        expect((await ramjet.serving()).generation).to.be.at.least(first.generation + PUBLISHES),
      )
      expect(socket.closed).to.equal(undefined)
    } finally {
      await socket.close()
    }
  })

  it('lives on when its own route and Service are gone', async () => {
    const { ramjet, namespace } = stage
    const host = namespace.host('chat')
    await namespace.service('web')
    await namespace.ingress('chat', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')
    const socket = await TestSocket.open(ramjet.target(`http://${host}/socket`))
    try {
      await namespace.endpoints('web', [])
      await namespace.deleteIngress('chat')
      await ramjet.serves(`http://${host}/`, '404')
      expect(await socket.exchange('still there')).to.equal('web-1: still there')
    } finally {
      await socket.close()
    }
  })
})
