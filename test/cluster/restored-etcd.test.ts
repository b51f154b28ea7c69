// An etcd that was put back to an earlier moment: versions go backwards, and what is older is what counts (R70-85).
import { readFileSync } from 'node:fs'
import { expect } from 'chai'
import type { ApiServer } from '../../hack/cluster/api-server.ts'
import { theCluster } from './support/cluster.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'

describe('an etcd that was restored', function () {
  this.timeout(150_000)
  const stage = faultyScene()
  let restored: ApiServer | undefined

  afterEach(async () => {
    await restored?.process.stop()
  })

  it('is served as it is, also where that is older than what is known, and is told loudly (R70-85)', async () => {
    const { proxy, namespace } = stage
    const [host, later] = [namespace.host('shop'), namespace.host('later')]
    for (const name of ['old', 'new']) await namespace.service(name)
    await namespace.ingress('shop', { [host]: { '/': 'old', '/new': 'new' } })
    restored = await theCluster().restored('restored')

    // A watch from a version that is yet to come is no error to this API server: it is silent. The safety relist tells.
    const ramjet = await stage.start({ flags: ['--resync-period', '4s'] })
    await namespace.ingress('shop', { [host]: { '/': 'new' } })
    await namespace.ingress('later', { [later]: { '/': 'new' } })
    await ramjet.serves(`http://${host}/`, 'new')
    await ramjet.serves(`http://${later}/`, 'new')
    // An API server that starts writes as well, and its versions must stay behind those that are known.
    for (let again = 0; again < 300; again += 1) await namespace.annotate('later', { again: String(again) })
    proxy.forwardTo(restored.url)
    proxy.cut()
    await eventually(async () => {
      expect((await ramjet.get(`http://${host}/`)).from).to.equal('old-1')
      expect((await ramjet.get(`http://${later}/`)).from).to.equal('404')
    }, 45_000)
    expect((await ramjet.readiness()).status).to.equal(200)
    expect(readFileSync(ramjet.process.log, 'utf8')).to.match(/"level":"warn"[^\n]*went back to an older state/)
  })
})
