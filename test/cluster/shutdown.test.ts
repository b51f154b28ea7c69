// SIGTERM: what was asked is answered, and then the process ends by itself.
import { expect } from 'chai'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { Ramjet } from './support/ramjet.ts'
import { namespaceForEach } from './support/scene.ts'

describe('a SIGTERM', () => {
  const namespace = namespaceForEach()

  it('lets requests in flight end, closes keep-alive connections and exits with 0', async () => {
    const host = namespace().host('shop')
    const [pod] = await namespace().service('web')
    await namespace().ingress('shop', { [host]: { '/': 'web' } })
    const ramjet = await Ramjet.start(theCluster())
    try {
      await ramjet.serves(`http://${host}/`, 'web')
      const seen = pod?.requests ?? 0
      const slow = Array.from({ length: 20 }, () => ramjet.get(`http://${host}/?delay=1000`))
      await eventually(() => expect(pod?.requests).to.equal(seen + 20))
      const ended = ramjet.stop()
      const answers = await Promise.all(slow)
      expect(answers.map(({ from }) => from)).to.deep.equal(Array.from({ length: 20 }, () => 'web-1'))
      expect(await ended).to.equal(0)
    } finally {
      await ramjet.stop()
    }
  })
})
