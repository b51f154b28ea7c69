import { expect } from 'chai'
import type { Change } from '../../src/controllers/compile-loop.ts'
import { ExternalNames, type NameAnswer } from '../../src/controllers/external-names.ts'
import { SnapshotStore } from '../../src/controllers/snapshot-store.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'

describe('ExternalNames (R10-38)', () => {
  let clock: FakeClock
  let log: FakeLogger
  let snapshots: SnapshotStore
  let marked: Change[]
  let asked: string[]
  let answers: Map<string, Promise<NameAnswer> | NameAnswer>
  let names: ExternalNames
  let stop: AbortController
  let running: Promise<void>

  beforeEach(() => {
    clock = new FakeClock(0)
    log = new FakeLogger()
    snapshots = new SnapshotStore({ servedBackends: () => new Map() })
    marked = []
    asked = []
    answers = new Map()
    stop = new AbortController()
    names = new ExternalNames({
      lookUp: async (name) => {
        asked.push(name)
        return (await answers.get(name)) ?? Promise.reject(new Error('no name server'))
      },
      snapshots,
      loop: { markDirty: (change) => void marked.push(change) },
      clock,
      timers: clock,
      log,
    })
    running = names.run(stop.signal)
  })

  afterEach(async () => {
    stop.abort()
    await running
    expect(clock.pending()).to.deep.equal([])
  })

  const answer = (name: string, ttlMs: number, ...addresses: string[]): void =>
    void answers.set(name, { addresses, ttlMs })
  const resolved = (service: string): readonly string[] | undefined => snapshots.resolvedNames.get(service)?.addresses
  const levels = (): readonly string[] => log.records.map(({ level }) => level)

  it('asks for what is wanted, once a name, and marks the endpoints of each Service', async () => {
    answer('a.example', 5000, '192.0.2.2', '192.0.2.1')
    names.want(
      new Map([
        ['shop/one', 'a.example'],
        ['shop/two', 'a.example'],
      ]),
    )
    await eventually(() => marked.length === 2)
    expect(asked).to.deep.equal(['a.example'])
    expect(resolved('shop/one')).to.deep.equal(['192.0.2.1', '192.0.2.2'])
    expect(marked).to.deep.equal([
      { kind: 'endpoints', service: 'shop/one' },
      { kind: 'endpoints', service: 'shop/two' },
    ])
  })

  it('asks again when the time to live is over, and marks only what changed', async () => {
    answer('a.example', 5000, '192.0.2.1', '192.0.2.2')
    names.want(new Map([['shop/one', 'a.example']]))
    await clock.pass(5000)
    await eventually(() => asked.length === 2)
    await settled()
    expect(marked).to.have.lengthOf(1)
    answer('a.example', 5000, '192.0.2.3')
    await clock.pass(5000)
    await eventually(() => marked.length === 2)
    expect(resolved('shop/one')).to.deep.equal(['192.0.2.3'])
  })

  for (const [ttlMs, waitsMs] of [
    [0, 1000],
    [86_400_000, 3_600_000],
  ] as const) {
    it(`asks after ${waitsMs} ms where the time to live is ${ttlMs} ms`, async () => {
      answer('a.example', ttlMs, '192.0.2.1')
      names.want(new Map([['shop/one', 'a.example']]))
      await eventually(() => clock.pending().length > 0)
      expect(clock.pending()).to.deep.equal([waitsMs])
    })
  }

  it('keeps the last answer while nobody can say, asks more seldom, and tells when it begins and ends', async () => {
    answer('a.example', 1000, '192.0.2.1')
    names.want(new Map([['shop/one', 'a.example']]))
    await eventually(() => marked.length === 1)
    answers.delete('a.example')
    for (const waitMs of [1000, 500, 1000, 2000, 4000, 8000, 16_000, 30_000]) await clock.pass(waitMs)
    expect(resolved('shop/one')).to.deep.equal(['192.0.2.1'])
    expect(levels()).to.deep.equal(['warn', ...Array.from({ length: 6 }, () => 'debug')])
    answer('a.example', 1000)
    await clock.pass(30_000)
    await eventually(() => marked.length === 2)
    expect(resolved('shop/one')).to.deep.equal([])
    expect(levels().at(-1)).to.equal('info')
  })

  it('forgets what is no longer wanted, also where the answer comes later', async () => {
    const { promise, resolve } = Promise.withResolvers<NameAnswer>()
    answers.set('a.example', promise)
    names.want(new Map([['shop/one', 'a.example']]))
    await eventually(() => asked.length === 1)
    names.want(new Map())
    resolve({ addresses: ['192.0.2.1'], ttlMs: 1000 })
    await clock.pass(1000)
    await settled()
    expect([asked.length, marked.length, resolved('shop/one')]).to.deep.equal([1, 0, undefined])
  })

  it('asks for the other name of a Service at once, and never gives it the answer of the first', async () => {
    const { promise, resolve } = Promise.withResolvers<NameAnswer>()
    answers.set('a.example', promise)
    answer('b.example', 9000, '192.0.2.2')
    names.want(new Map([['shop/one', 'a.example']]))
    await eventually(() => asked.length === 1)
    names.want(new Map([['shop/one', 'b.example']]))
    await eventually(() => marked.length === 1)
    resolve({ addresses: ['192.0.2.1'], ttlMs: 1000 })
    await settled()
    expect(snapshots.resolvedNames.get('shop/one')).to.deep.equal({ name: 'b.example', addresses: ['192.0.2.2'] })
  })

  it('says when all was asked for once, failures included, and does not wait longer than it may', async () => {
    answer('a.example', 1000, '192.0.2.1')
    names.want(
      new Map([
        ['shop/one', 'a.example'],
        ['shop/two', 'none.example'],
      ]),
    )
    await names.askedAll(2000)
    expect(asked).to.have.members(['a.example', 'none.example'])
    answers.set('slow.example', new Promise(() => {}))
    names.want(new Map([['shop/three', 'slow.example']]))
    const over = names.askedAll(2000).then(() => 'over')
    const soon = async (): Promise<string> => Promise.race([over, settled().then(() => 'waiting')])
    await clock.run(1999)
    expect(await soon()).to.equal('waiting')
    await clock.run(1)
    expect(await soon()).to.equal('over')
  })
})
