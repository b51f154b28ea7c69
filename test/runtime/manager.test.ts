import { expect } from 'chai'
import { Manager, type Runnable } from '../../src/runtime/manager.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

describe('Manager', () => {
  let clock: FakeClock
  let log: FakeLogger
  let manager: Manager
  let happened: string[]

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    happened = []
    manager = new Manager({ timers: clock, log, stopMs: 2000 })
  })

  function part(name: string): Runnable {
    return {
      name,
      async run(signal): Promise<void> {
        happened.push(`start ${name}`)
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
        })
        await settled()
        happened.push(`end ${name}`)
      },
    }
  }

  it('starts parts in order and stops them in reverse, one after the other', async () => {
    for (const name of ['cache', 'controller', 'loop']) manager.start(part(name))
    await manager.stop()
    expect(happened).to.deep.equal([
      'start cache',
      'start controller',
      'start loop',
      'end loop',
      'end controller',
      'end cache',
    ])
    expect(clock.pending()).to.deep.equal([])
  })

  it('waits no longer for a part than it may, and says which one it left', async () => {
    manager.start(part('cache'))
    manager.start({ name: 'stuck', run: () => new Promise(() => {}) })
    const stopped = manager.stop()
    await clock.pass(2000)
    await stopped
    expect(happened).to.deep.equal(['start cache', 'end cache'])
    expect(log.of('warn').map(({ fields }) => fields['part'])).to.deep.equal(['stuck'])
  })

  it('reports a part that fails or ends by itself, and keeps the others', async () => {
    manager.start(part('cache'))
    manager.start({ name: 'failing', run: () => Promise.reject(new Error('broken')) })
    manager.start({ name: 'short', run: () => Promise.resolve() })
    await settled()
    expect(log.of('error').map(({ fields, message }) => `${String(fields['part'])}: ${message}`)).to.have.members([
      'short: a part ended by itself',
      'failing: a part failed',
    ])
    await manager.stop()
    expect(happened).to.deep.equal(['start cache', 'end cache'])
  })

  it('starts nothing once it is stopping', async () => {
    await manager.stop()
    manager.start(part('late'))
    expect(happened).to.deep.equal([])
  })
})
