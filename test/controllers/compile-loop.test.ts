import { expect } from 'chai'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { CompileSettings } from '../../src/compiler/snapshot.ts'
import { CompileLoop, type Compiler } from '../../src/controllers/compile-loop.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import type { Backend } from '../../src/model/route-table.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

const metadata = { name: 'any', uid: '1', resourceVersion: '1', creationTimestamp: '2026-01-02T03:04:05Z' }

const SETTINGS: CompileSettings = {
  ingressClass: 'ramjet',
  ingressClassGiven: false,
  controllerName: 'ramjet.dev/ingress',
  watchIngressWithoutClass: false,
  defaultBackend: undefined,
  allowExternalName: false,
}

function backends(...names: readonly string[]): ReadonlyMap<string, Backend> {
  const fields = { source: 'ingress', policy: 'roundRobin', fixedEndpoints: undefined, digest: '' } as const
  return new Map(names.map((name) => [name, { name, ...fields }]))
}

/** A result whose routes name `named` and whose endpoints are those of `resolved`. */
function resultOf(named: readonly string[], resolved: readonly string[] = named): CompileResult {
  const byBackend = new Map(resolved.map((backend) => [backend, { backend, endpoints: [], digest: '' }]))
  return {
    tables: {
      routes: { hosts: new Map(), backends: backends(...named), defaultRoute: undefined, digest: '' },
      endpoints: { byBackend, digest: '' },
    },
    warnings: [],
    wanted: { objects: [], tlsSecrets: new Set<string>(), externalNames: new Map(), backends: new Set(resolved) },
    memo: emptyMemo(),
    claimed: new Set(),
    included: new Set(),
    classes: new Map(),
  }
}

// R30-4, R80-15
describe('CompileLoop', () => {
  let clock: FakeClock
  let log: FakeLogger
  let snapshots: SnapshotStore
  let served: ReadonlyMap<string, Backend>
  let compiled: string[]
  let published: number[]
  let next: () => CompileResult
  let publish: (result: CompileResult) => Promise<void>
  let loop: CompileLoop

  beforeEach(() => {
    clock = new FakeClock(0)
    log = new FakeLogger()
    served = backends()
    snapshots = new SnapshotStore({ servedBackends: () => served })
    compiled = []
    published = []
    next = () => resultOf([])
    publish = () => Promise.resolve()
    loop = new CompileLoop({
      snapshot: () => snapshots.snapshot(),
      settings: SETTINGS,
      publish: (result, receivedAtMs) => {
        published.push(receivedAtMs)
        return publish(result)
      },
      debounceMinMs: 10,
      debounceMs: 200,
      clock,
      timers: clock,
      log,
      compiler: recordingCompiler(),
    })
  })

  afterEach(() => loop.stop())

  function recordingCompiler(): Compiler {
    return {
      compile: () => {
        compiled.push('whole')
        return next()
      },
      recompileEndpoints: (_snapshot, _last, services) => {
        compiled.push(`endpoints of ${[...services].join(' ')}`)
        return next()
      },
    }
  }

  async function started(): Promise<void> {
    loop.start()
    await settled()
    compiled = []
    published = []
  }

  const slices = (service: string): void => loop.markDirty({ kind: 'endpoints', service })
  const all = (): void => loop.markDirty({ kind: 'all' })

  describe('with something to wait for before the first publish', () => {
    const { promise, resolve } = Promise.withResolvers<void>()

    it('publishes once it is there, with what changed meanwhile, and never waits again', async () => {
      await loop.stop()
      let waits = 0
      const results = [resultOf(['early']), resultOf(['late']), resultOf(['later'])]
      const given: (CompileResult | undefined)[] = []
      next = () => results[compiled.length - 1] ?? resultOf([])
      loop = new CompileLoop({
        snapshot: () => snapshots.snapshot(),
        settings: SETTINGS,
        publish: async (result) => void given.push(result),
        settleFirst: () => {
          waits += 1
          return promise
        },
        debounceMinMs: 10,
        debounceMs: 200,
        clock,
        timers: clock,
        log,
        compiler: recordingCompiler(),
      })
      loop.start()
      await settled()
      slices('shop/web')
      await clock.run(300)
      expect([compiled, given]).to.deep.equal([['whole'], []])
      resolve()
      await settled()
      expect(compiled).to.deep.equal(['whole', 'endpoints of shop/web'])
      expect(given).to.deep.equal([results[1]])
      all()
      await clock.run(20)
      expect([given.length, waits]).to.deep.equal([2, 1])
    })
  })

  it('compiles nothing before it is started, and everything at once then', async () => {
    all()
    slices('shop/web')
    await clock.run(1000)
    expect(compiled).to.deep.equal([])
    loop.start()
    expect(compiled).to.deep.equal(['whole'])
  })

  it('waits until it was quiet for the short time', async () => {
    await started()
    all()
    await clock.run(9)
    expect(compiled).to.deep.equal([])
    await clock.run(1)
    expect(compiled).to.deep.equal(['whole'])
  })

  it('begins the short time anew with each event, up to the long time after the first', async () => {
    await started()
    all()
    for (let event = 0; event < 60; event += 1) {
      await clock.run(5)
      if (compiled.length > 0) break
      all()
    }
    expect(clock.monotonicMs()).to.equal(200)
    expect(compiled).to.deep.equal(['whole'])
  })

  it('makes one compile and one publish of fifty events, and passes on when the first was received', async () => {
    await started()
    for (let event = 0; event < 50; event += 1) loop.markDirty({ kind: 'endpoints', service: 'shop/web' }, event + 5)
    await clock.run(100)
    expect(compiled).to.deep.equal(['endpoints of shop/web'])
    expect(published).to.deep.equal([5])
  })

  it('takes the short way for the Services whose slices changed, and no other', async () => {
    await started()
    for (const service of ['shop/web', 'shop/api', 'shop/web']) slices(service)
    await clock.run(10)
    slices('blog/web')
    await clock.run(10)
    expect(compiled).to.deep.equal(['endpoints of shop/web shop/api', 'endpoints of blog/web'])
  })

  it('compiles everything when anything else changed in the same burst', async () => {
    await started()
    slices('shop/web')
    all()
    slices('shop/api')
    await clock.run(20)
    expect(compiled).to.deep.equal(['whole'])
  })

  for (const [part, change] of [
    ['an Ingress', (): unknown => snapshots.ingresses.put('shop/web', { metadata })],
    ['a class', (): unknown => snapshots.ingressClasses.put('ramjet', { metadata })],
    ['a Service', (): unknown => snapshots.services.put('shop/web', { metadata })],
    [
      'the file',
      (): unknown => snapshots.setFile({ name: 'routes.yaml', backends: [], routes: [], defaultBackend: undefined }),
    ],
    ["the operator's defaults", (): unknown => snapshots.setDefaults({ responseTimeoutMs: 1 })],
    ['ClassParameters', (): unknown => snapshots.classParameters.put('shop/a', { kind: 'valid', fields: {} })],
    ['a wanted object', (): unknown => snapshots.wantedObjects.put('any', { metadata, data: {} })],
  ] as const) {
    it(`compiles everything when ${part} changed, although only slices were told of`, async () => {
      await started()
      change()
      slices('shop/web')
      await clock.run(10)
      expect(compiled).to.deep.equal(['whole'])
    })
  }

  it('compiles everything when another generation serves than the last compile knew', async () => {
    await started()
    served = backends('shop/web:80')
    slices('shop/web')
    await clock.run(10)
    expect(compiled).to.deep.equal(['whole'])
  })

  it('hands each compile the memo of the one before', async () => {
    const memos: unknown[] = []
    const results = [resultOf([]), resultOf([])]
    const compiler: Compiler = {
      compile: (_snapshot, _settings, memo) => {
        memos.push(memo)
        return results[memos.length - 1] ?? resultOf([])
      },
      recompileEndpoints: (_snapshot, last) => last,
    }
    const deps = { settings: SETTINGS, publish, debounceMinMs: 1, debounceMs: 1, clock, timers: clock, log, compiler }
    const own = new CompileLoop({ snapshot: () => snapshots.snapshot(), ...deps })
    own.start()
    await settled()
    own.markDirty({ kind: 'all' })
    await clock.run(5)
    expect(memos[1]).to.equal(results[0]?.memo)
    expect(own.last).to.equal(results[1])
  })

  it('compiles one after the other, and what gathered meanwhile at once', async () => {
    const gate = Promise.withResolvers<void>()
    await started()
    publish = () => gate.promise
    all()
    await clock.run(10)
    for (let event = 0; event < 100; event += 1) {
      slices('shop/web')
      await clock.run(5)
    }
    expect(compiled).to.deep.equal(['whole'])
    gate.resolve()
    await settled()
    expect(compiled).to.deep.equal(['whole', 'endpoints of shop/web'])
    await clock.run(500)
    expect(compiled).to.have.length(2)
  })

  it('goes on after a publish or a compile that threw, and then compiles everything', async () => {
    await started()
    publish = () => Promise.reject(new Error('no worker'))
    slices('shop/web')
    await clock.run(10)
    publish = () => Promise.resolve()
    slices('shop/api')
    await clock.run(10)
    next = () => {
      throw new Error('a fault of ours')
    }
    slices('shop/web')
    await clock.run(10)
    next = () => resultOf([])
    slices('shop/api')
    await clock.run(10)
    expect(compiled).to.deep.equal(['endpoints of shop/web', 'whole', 'endpoints of shop/web', 'whole'])
    expect(log.of('error')).to.have.length(2)
  })

  it('compiles once more when endpoints are left that no generation names any more (R00-21, R00-22)', async () => {
    served = backends('shop/old:80')
    next = () => resultOf(['shop/new:80'], ['shop/new:80', 'shop/old:80'])
    publish = ({ tables }) => {
      served = tables.routes.backends
      next = () => resultOf(['shop/new:80'])
      return Promise.resolve()
    }
    loop.start()
    await clock.run(500)
    expect(compiled).to.deep.equal(['whole', 'whole'])
  })

  it('leaves the endpoints of a generation that still serves', async () => {
    served = backends('shop/old:80')
    next = () => resultOf(['shop/new:80'], ['shop/new:80', 'shop/old:80'])
    loop.start()
    await clock.run(500)
    expect(compiled).to.deep.equal(['whole'])
  })

  it('compiles everything at once for who waits for it, and what had waited for quiet with it', async () => {
    const gate = Promise.withResolvers<void>()
    await started()
    publish = () => gate.promise
    slices('shop/web')
    let isDone = false
    const done = loop.compileNow().then(() => {
      isDone = true
      return undefined
    })
    await settled()
    expect(compiled).to.deep.equal(['whole'])
    expect(isDone).to.equal(false)
    gate.resolve()
    await done
    await clock.run(500)
    expect(compiled).to.deep.equal(['whole'])
  })

  it('lets who wants one at once wait for the one that is under way', async () => {
    const gate = Promise.withResolvers<void>()
    await started()
    publish = () => gate.promise
    all()
    await clock.run(10)
    const done = loop.compileNow()
    await settled()
    expect(compiled).to.deep.equal(['whole'])
    gate.resolve()
    await done
    expect(compiled).to.deep.equal(['whole', 'whole'])
  })

  it('lets nobody who wants one at once wait for as long as changes keep coming (R30-17)', async () => {
    const underWay: (() => void)[] = []
    await started()
    publish = () =>
      new Promise((resolve) => {
        underWay.push(resolve)
      })
    all()
    await clock.run(10)
    let isDone = false
    void loop.compileNow().then(() => {
      isDone = true
      return undefined
    })
    for (let turn = 0; turn < 3; turn += 1) {
      // Due as soon as the publish that is under way has ended.
      all()
      clock.advance(1000)
      underWay.pop()?.()
      await settled()
    }
    expect(isDone).to.equal(true)
    publish = () => Promise.resolve()
    underWay.pop()?.()
  })

  it('compiles nothing at once before it is started, and none after it was stopped', async () => {
    await loop.compileNow()
    await started()
    await loop.stop()
    await loop.compileNow()
    expect(compiled).to.deep.equal([])
  })

  it('ends with the publish that is under way, and begins nothing more', async () => {
    const gate = Promise.withResolvers<void>()
    await started()
    publish = () => gate.promise
    all()
    await clock.run(10)
    all()
    let isStopped = false
    const stopped = loop.stop().then(() => {
      isStopped = true
      return undefined
    })
    await settled()
    expect(isStopped).to.equal(false)
    gate.resolve()
    await stopped
    await clock.run(500)
    expect(compiled).to.deep.equal(['whole'])
    expect(clock.pending()).to.deep.equal([])
  })
})
