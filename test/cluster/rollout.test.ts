// A rollout is many events in a short time, and few publishes (R30-4).
import { expect } from 'chai'
import { endpointSlice, type SlicePod } from '../../hack/cluster/objects.ts'
import { watchOf } from './fault-proxy.ts'
import { nextPodAddress } from './support/addresses.ts'
import { eventually } from './support/eventually.ts'
import { faultyScene } from './support/faulty-scene.ts'
import type { Ramjet } from './support/ramjet.ts'

const PODS = 50

async function publishesOf(ramjet: Ramjet): Promise<number> {
  return (await ramjet.metric('ramjet_publish_seconds_count{what="endpoints"}')) ?? 0
}

describe(`a rollout of ${PODS} pods, each an event of its own`, () => {
  const stage = faultyScene()

  /** One pod after the other gets ready, each by a write to the slice. */
  async function rollOut(): Promise<void> {
    const { namespace } = stage
    const pods: SlicePod[] = []
    for (let index = 0; index < PODS; index += 1) {
      pods.push({ address: nextPodAddress() })
      await namespace.apply(endpointSlice(namespace.name, 'web', pods))
    }
  }

  async function publishesDuring(ramjet: Ramjet, rollout: () => Promise<void>): Promise<number> {
    const { namespace } = stage
    const host = namespace.host('shop')
    await namespace.service('web')
    await namespace.ingress('shop', { [host]: { '/': 'web' } })
    await ramjet.serves(`http://${host}/`, 'web')
    // What led here is counted by then.
    await namespace.compiled(ramjet)
    const [before, published] = [await ramjet.serving(), await publishesOf(ramjet)]
    await rollout()
    await eventually(async () => expect((await ramjet.routes(host))[0]?.endpoints).to.equal(PODS))
    const [after, publishes] = [await ramjet.serving(), (await publishesOf(ramjet)) - published]
    expect(after.generation).to.equal(before.generation)
    expect(after.endpointsVersion - before.endpointsVersion).to.equal(publishes)
    return publishes
  }

  it('that arrive together is one to three publishes and no generation', async () => {
    const { proxy } = stage
    const ramjet = await stage.start()
    const publishes = await publishesDuring(ramjet, async () => {
      const slices = proxy.inject(watchOf('endpointslices'), { kind: 'pause' })
      await rollOut()
      slices.lift()
    })
    expect(publishes).to.be.within(1, 3)
    // One watch brought them all; which one is open by now does not matter.
    const lines = proxy.seen(watchOf('endpointslices')).map((watch) => watch.lines)
    expect(Math.max(...lines)).to.be.at.least(PODS)
  })

  it('that arrive one by one is one to three publishes where none is longer apart than --debounce-min', async () => {
    // Longer than a write takes on a busy machine, and than all of them.
    const ramjet = await stage.start({ flags: ['--debounce-min', '1s', '--debounce', '30s'] })
    expect(await publishesDuring(ramjet, rollOut)).to.be.within(1, 3)
  })
})
