import { expect } from 'chai'
import { ClusterEvents, type ClusterEventsDeps } from '../../src/controllers/cluster-events.ts'
import { recordOf } from '../../src/lib/json-record.ts'
import type { Warning } from '../../src/model/warning.ts'
import { NotLeadingError } from '../../src/runtime/leader-election.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { ingress } from '../builders/ingress.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { cacheOf } from '../fakes/lister.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

function found(message: string): Warning {
  return {
    reason: 'InvalidHost',
    object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
    field: 'spec',
    message,
  }
}

describe('ClusterEvents', () => {
  let clock: FakeClock
  let events: ClusterEvents
  let notes: unknown[]
  /** Answers come when this has resolved. */
  let held: Promise<void>
  const terms: AbortController[] = []

  beforeEach(() => {
    clock = new FakeClock()
    notes = []
    held = Promise.resolve()
    const nobody = { lister: cacheOf([]) }
    const caches = { ingresses: { lister: cacheOf([ingress('shop/web').build()]) }, services: nobody }
    events = new ClusterEvents({
      caches: { ...caches, ingressClasses: nobody, classParameters: nobody } as unknown as ClusterEventsDeps['caches'],
      client: { post: write, patch: write },
      podName: 'ramjet-0',
      forbiddenMs: 300_000,
      bucket: new TokenBucket({ perSecond: 20, burst: 40, clock, timers: clock }),
      check: () => undefined,
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log: new FakeLogger(),
    })
  })

  afterEach(async () => {
    for (const term of terms.splice(0)) term.abort(new NotLeadingError('over'))
    await settled()
    expect(clock.pending()).to.deep.equal([])
  })

  async function write(_path: string, body: unknown): Promise<unknown> {
    notes.push(recordOf(body)['note'])
    await held
    return {}
  }

  /** Begins a term, and lets everything go on that can. */
  async function begin(): Promise<AbortController> {
    const term = new AbortController()
    terms.push(term)
    void events.begin(term.signal)
    await settled()
    return term
  }

  it('tell in each term what there is when it begins (R30-26)', async () => {
    events.update([found('a')])
    const first = await begin()
    expect(notes).to.deep.equal(['a'])
    first.abort(new NotLeadingError('over'))
    await settled()
    events.update([found('b')])
    await settled()
    expect(notes).to.deep.equal(['a'])
    await begin()
    expect(notes).to.deep.equal(['a', 'b'])
  })

  it('tell nothing of a term that was over before the recorder of the one before had ended', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    events.update([found('first')])
    const first = await begin()
    first.abort(new NotLeadingError('over'))
    events.update([found('second')])
    const second = await begin()
    second.abort(new NotLeadingError('over'))
    resolve()
    await settled()
    // By the third term nothing is wrong any more.
    events.update([])
    await begin()
    expect(notes).to.deep.equal(['first'])
  })
})
