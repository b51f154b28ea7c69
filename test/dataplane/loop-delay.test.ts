import { expect } from 'chai'
import { allocateLoopDelay, LoopDelayReader, LoopDelayRecorder } from '../../src/dataplane/loop-delay.ts'
import { pairOf } from '../builders/pair.ts'
import { askOn, startHarness } from './harness.ts'

describe('the delay of an event loop', function () {
  this.timeout(60_000)

  it('is zero before the first heartbeat, and next to nothing in a loop that is idle', async () => {
    const { reader, recorder } = ends()
    expect(reader.read()).to.deep.equal({ p50: 0, p99: 0, max: 0 })
    // A machine that does something else meanwhile may keep it waiting, but not for ever.
    let p50 = Number.POSITIVE_INFINITY
    while (p50 > 0.015) {
      await turns(200)
      recorder.record(0)
      p50 = reader.read().p50
    }
    expect(p50).to.be.at.least(0)
  })

  it('is that of the period since the last look (R70-121)', async () => {
    const { reader, recorder } = ends()
    await turns(60)
    block(150)
    await turns(60)
    recorder.record(0)
    expect(reader.read().max).to.be.above(0.1)
    recorder.record(0)
    expect(reader.read().max).to.be.below(0.1)
  })

  it('counts what the first heartbeat of a period waited for', () => {
    const { reader, recorder } = ends()
    reader.read()
    recorder.record(1_500)
    expect(reader.read()).to.deep.equal({ p50: 0, p99: 0, max: 1.5 })
    recorder.record(0)
    expect(reader.read().max).to.equal(0)
  })

  it('is told by worker, and only the busy one is late', async () => {
    const harness = await startHarness({ workers: 2, timing: { heartbeatMs: 20, stallMs: 60_000 } })
    try {
      await harness.plane.apply(pairOf({ 'web.example': [] }))
      const busy = await harness.connectTo(1, 'web.example')
      await turns(100)
      harness.plane.takeLoopDelays()
      await turns(100)
      // Half a second each. It is busy for longer than a machine under load leaves an idle thread waiting.
      for (let asked = 0; asked < 6; asked += 1) void askOn(busy, 'web.example', '/block').catch(() => undefined)
      // The heartbeat that tells it may come late.
      const most = new Map<number, number>()
      while ((most.get(1) ?? 0) < 2) {
        await turns(100)
        for (const { worker, max } of harness.plane.takeLoopDelays()) {
          most.set(worker, Math.max(max, most.get(worker) ?? 0))
        }
      }
      expect([...most.keys()]).to.deep.equal([0, 1])
      expect(most.get(0)).to.be.below(most.get(1) ?? 0)
    } finally {
      await harness.stop()
    }
  })
})

interface Ends {
  readonly reader: LoopDelayReader
  readonly recorder: LoopDelayRecorder
}

function ends(): Ends {
  const memory = allocateLoopDelay()
  return { reader: new LoopDelayReader(memory), recorder: new LoopDelayRecorder(memory) }
}

/** Lets the event loop turn freely for so long. */
function turns(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function block(ms: number): void {
  const until = performance.now() + ms
  while (performance.now() < until);
}
