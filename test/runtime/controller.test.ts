import { expect } from 'chai'
import { Controller, type ControllerDeps } from '../../src/runtime/controller.ts'
import type { Source } from '../../src/runtime/handler.ts'
import { type Reconciler, TerminalError } from '../../src/runtime/reconciler.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

describe('Controller', () => {
  let clock: FakeClock
  let log: FakeLogger
  let stop: AbortController
  let add: (key: string, receivedAtMs: number) => void
  let ended: Promise<void>
  let controller: Controller

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    stop = new AbortController()
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await ended
    expect(clock.pending()).to.deep.equal([])
  })

  function start(reconcile: Reconciler['reconcile'], settings?: ControllerDeps['settings']): void {
    const source: Source = {
      connect(connected): void {
        add = connected
      },
    }
    const deps = { name: 'services', sources: [source], reconciler: { reconcile }, clock, timers: clock, log }
    controller = new Controller({ ...deps, ...(settings ? { settings } : {}) })
    ended = controller.run(stop.signal)
  }

  const SLOW = { workers: 2, deadlineMs: 1000, retry: { minMs: 100, maxMs: 1000 } }

  it('hands each key to the reconciler as a request, with the time of its event', async () => {
    const seen: unknown[] = []
    start((request, { receivedAtMs }) => {
      seen.push([request, receivedAtMs])
      return {}
    })
    add('shop/web', 5)
    add('ramjet', 6)
    await controller.whenIdle()
    expect(seen).to.deep.equal([
      [{ namespace: 'shop', name: 'web' }, 5],
      [{ namespace: '', name: 'ramjet' }, 6],
    ])
  })

  it('tries a key again after a failure, later each time, and forgets the failures on success', async () => {
    let failures = 3
    let calls = 0
    start(() => {
      calls += 1
      if (failures > 0) {
        failures -= 1
        throw new Error('not yet')
      }
      return {}
    })
    add('a', 0)
    for (const ms of [100, 200, 400]) await clock.pass(ms)
    await controller.whenIdle()
    expect(calls).to.equal(4)
    expect(controller.errors).to.equal(3)
    failures = 1
    add('a', 0)
    await clock.pass(100)
    await controller.whenIdle()
    expect(calls).to.equal(6)
  })

  it('is not idle while a key waits to be tried again', async () => {
    let isIdle = false
    let calls = 0
    start(() => {
      calls += 1
      if (calls === 1) throw new Error('not yet')
      return {}
    })
    add('a', 0)
    void controller.whenIdle().then(() => {
      isIdle = true
      return undefined
    })
    await eventually(() => controller.errors === 1)
    await settled()
    expect(isIdle).to.equal(false)
    await clock.pass(100)
    await eventually(() => isIdle)
  })

  it('counts and logs a failure once', async () => {
    start(async () => {
      throw new Error('no luck')
    })
    add('shop/web', 0)
    await eventually(() => controller.errors === 1)
    const [record] = log.of('warn')
    expect(record?.fields).to.deep.include({ object: 'shop/web', retryMs: 100 })
    expect(log.records).to.have.length(1)
  })

  it('does not try again after a TerminalError', async () => {
    start(() => {
      throw new TerminalError('only an edit helps')
    })
    add('a', 0)
    await eventually(() => controller.errors === 1)
    await controller.whenIdle()
    expect(clock.pending()).to.deep.equal([])
  })

  it('looks again when the reconciler asks for it', async () => {
    let calls = 0
    start(() => {
      calls += 1
      return calls === 1 ? { requeueAfterMs: 5000 } : {}
    })
    add('a', 0)
    await clock.pass(5000)
    await controller.whenIdle()
    expect(calls).to.equal(2)
  })

  it('aborts a reconcile at its deadline, goes on with other keys, and never works twice on one', async () => {
    const calls: string[] = []
    const hanging = Promise.withResolvers<void>()
    start(
      async ({ name }, { signal }) => {
        calls.push(name)
        if (name === 'slow' && calls.length === 1) {
          // Does not listen to its signal.
          await hanging.promise
          expect(signal.aborted).to.equal(true)
        }
        return {}
      },
      { ...SLOW, workers: 1 },
    )
    add('slow', 0)
    add('next', 0)
    await clock.pass(1000)
    await eventually(() => calls.includes('next'))
    clock.advance(100)
    await settled()
    expect(calls).to.deep.equal(['slow', 'next'])
    hanging.resolve()
    await eventually(() => calls.length === 3)
    expect(calls).to.deep.equal(['slow', 'next', 'slow'])
    await controller.whenIdle()
  })

  it('works on as many keys at a time as it has workers', async () => {
    const finish: (() => void)[] = []
    start(() => new Promise((resolve) => finish.push(() => resolve({}))), SLOW)
    for (const key of ['a', 'b', 'c']) add(key, 0)
    await settled()
    expect(finish).to.have.length(2)
    expect(controller.queueDepth).to.equal(1)
    finish[0]?.()
    await eventually(() => finish.length === 3)
    for (const end of finish) end()
    await controller.whenIdle()
  })

  it('aborts what it is working on when it is stopped, and begins nothing more', async () => {
    const calls: string[] = []
    start(async ({ name }, { signal }) => {
      calls.push(name)
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
      })
      return {}
    })
    add('a', 0)
    add('b', 0)
    await settled()
    stop.abort(new Error('over'))
    await ended
    expect(calls).to.deep.equal(['a'])
    expect(controller.errors).to.equal(0)
    expect(log.records).to.deep.equal([])
  })
})
