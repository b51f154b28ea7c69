import { expect } from 'chai'
import { WorkerDrain } from '../../src/dataplane/worker-drain.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'

const NOTHING = { connections: 0, requests: 0, tunnels: 0 }

describe('WorkerDrain', () => {
  it('lets who has just connected ask before idle connections close (R70-1, R20-167)', async () => {
    const { clock, seen, drain } = drainOf(1)
    const ended = drain.finish(30_000)
    await eventually(() => seen.looks > 3)
    expect(seen).to.include({ idleClosed: 0, isCut: false })
    clock.advance(1_000)
    expect(await ended).to.deep.equal({ requests: 0, streams: 0, tunnels: 0 })
    expect(seen).to.include({ idleClosed: 1, isCut: true })
  })

  it('waits for nobody where nobody is connected', async () => {
    const { drain, seen } = drainOf(0)
    expect(await drain.finish(30_000)).to.deep.equal({ requests: 0, streams: 0, tunnels: 0 })
    expect(seen.isCut).to.equal(true)
  })

  it('takes no more than a quarter of a short grace for that', async () => {
    const { clock, seen, drain } = drainOf(1)
    const ended = drain.finish(400)
    await eventually(() => seen.looks > 3)
    clock.advance(100)
    await ended
    expect(seen.idleClosed).to.equal(1)
  })
})

function drainOf(connections: number) {
  const clock = new FakeClock()
  const seen = { looks: 0, idleClosed: 0, isDraining: false, isCut: false }
  const drain = new WorkerDrain({
    clock,
    listeners: {
      get connections() {
        seen.looks += 1
        return connections
      },
      async closeWhenTaken() {
        expect(seen.isDraining).to.equal(true)
      },
    },
    engine: {
      startDraining() {
        seen.isDraining = true
      },
      closeIdle() {
        seen.idleClosed += 1
      },
      load: () => NOTHING,
      destroy() {
        seen.isCut = true
      },
    },
    http2: undefined,
    tls: { tunnels: 0, destroy: () => undefined },
  })
  return { clock, seen, drain }
}
