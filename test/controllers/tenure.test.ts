import { expect } from 'chai'
import type { LoadBalancerAddress } from '../../src/api/networking.ts'
import { type CompiledIngresses, type Numbering, Tenure } from '../../src/controllers/tenure.ts'
import { addressPart } from '../../src/controllers/written-parts.ts'
import type { Generation } from '../../src/model/generation.ts'
import { NotLeadingError } from '../../src/runtime/leader-election.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { prefix, routeTable, virtualHost } from '../builders/route-table.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { cacheOf } from '../fakes/lister.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'
import { WrittenIngresses } from '../fakes/written-ingresses.ts'

const OBSERVED = 'ramjet.dev/observed-generation'
const ADDRESS = '192.0.2.10'
/** Digests as a Lease has them. */
const [X, Y] = ['0'.repeat(32), '1'.repeat(32)]

/** `paths`: what the route of each Ingress has. */
function generation(number: number, digest: string, paths = { a: digest, b: digest }): Generation {
  const hosts = Object.entries(paths).map(([name, path]) => {
    const origin = { kind: 'Ingress', namespace: 'shop', name, rule: '0/0' }
    return virtualHost(`${name}.example`, [prefix(`/${path}`, { origin })])
  })
  return { number, digest, routes: routeTable(hosts, { digest }), warnings: [] }
}

/** Numbers as `Publishing` gives them. */
class FakeNumbering implements Numbering {
  current: Generation | undefined
  readonly raised: string[] = []
  held: Promise<void> = Promise.resolve()

  newest(): Generation | undefined {
    return this.current
  }

  kept(): readonly Generation[] {
    return this.current ? [this.current] : []
  }

  async raiseNumberTo(highest: number, { keepNewest = false } = {}): Promise<void> {
    this.raised.push(`${highest}${keepNewest ? ' keeping the newest' : ''}`)
    await this.held
    const { current } = this
    if (current && !keepNewest && current.number <= highest) this.current = { ...current, number: highest + 1 }
  }
}

describe('Tenure', () => {
  let clock: FakeClock
  let cluster: WrittenIngresses
  let numbering: FakeNumbering
  let compiled: CompiledIngresses | undefined
  let addresses: readonly LoadBalancerAddress[]
  let notes: string[]
  let told: number
  let over: AbortController
  let mayWrite: boolean
  let tenure: Tenure
  let running: Promise<void> | undefined

  beforeEach(() => {
    clock = new FakeClock()
    cluster = new WrittenIngresses(clock, ['shop/a', 'shop/b', 'other/theirs'])
    numbering = new FakeNumbering()
    numbering.current = generation(3, X)
    const ours = new Set(['shop/a', 'shop/b'])
    compiled = { claimed: ours, included: ours }
    addresses = []
    notes = []
    told = 0
    mayWrite = true
    running = undefined
  })

  afterEach(async () => {
    over.abort(new NotLeadingError('over'))
    await running
    expect(clock.pending(), 'timers left').to.deep.equal([])
  })

  function make(noted?: string): Tenure {
    over = new AbortController()
    const deps = { clock, timers: clock, random: fixedRandom(0.5), log: new FakeLogger() }
    tenure = new Tenure({
      ...deps,
      term: { signal: over.signal, noted: () => noted },
      numbering,
      lister: cluster.cache,
      compiled: () => compiled,
      mode: 'all',
      contestWindowMs: 300_000,
      addresses: addressPart({
        addresses: () => addresses,
        claimed: () => compiled?.claimed,
        wasClaimed: () => false,
        classes: cacheOf([]),
        isLeaving: () => false,
      }),
      note: (_annotation, value) => notes.push(value),
      onWarnings: () => {
        told += 1
      },
      client: cluster,
      bucket: new TokenBucket({ perSecond: 20, burst: 40, clock, timers: clock }),
      check: () => {
        if (!mayWrite) throw new NotLeadingError('no')
      },
      settings: { objectWriteMs: 1000, forbiddenWriteMs: 300_000, isNarrowed: false },
      onRefused: () => undefined,
    })
    cluster.informer.addHandler((event) => {
      const { namespace, name } = event.object.metadata
      if (event.type === 'updated')
        tenure.changed(`${namespace}/${name}`, { before: event.before, after: event.object, isEdited: false })
    })
    return tenure
  }

  async function begin(noted?: string): Promise<void> {
    running = make(noted).run()
    // What was written rests for a second, and then nothing is left.
    await clock.run(1100)
  }

  async function compile(next: Generation): Promise<void> {
    numbering.current = next
    tenure.compiled()
    await clock.run(1100)
  }

  it('writes the newest number onto what is ours and tells the Lease, once (R30-15, R30-33)', async () => {
    await begin()
    expect(cluster.take()).to.deep.equal(['shop/a 3', 'shop/b 3'])
    expect(notes).to.deep.equal([`3 ${X}`])
    tenure.compiled()
    tenure.lookAtAll()
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal([])
    expect(notes).to.have.length(1)
  })

  it('numbers above what others wrote onto what is ours, and above what the Lease says (R30-15)', async () => {
    // Ours, and not served: its number must not fall either.
    compiled = { claimed: new Set(['shop/a', 'shop/b']), included: new Set(['shop/a']) }
    cluster.annotate('shop/b', { [OBSERVED]: '56' })
    cluster.annotate('other/theirs', { [OBSERVED]: '900' })
    await begin(`40 ${Y}`)
    expect(numbering.raised).to.deep.equal(['56'])
    expect(cluster.take()).to.deep.equal(['shop/a 57'])
    expect(notes).to.deep.equal([`57 ${X}`])
  })

  for (const [noted, forged, raised] of [
    [`40 ${Y}`, 1_000_041, '56'],
    [`40 ${Y}`, 1_000_040, '1000040'],
    [undefined, 1_000_000_001, '56'],
    [undefined, 1_000_000_000, '1000000000'],
  ] as const) {
    it(`numbers above ${raised} where one Ingress says ${forged} and the Lease ${noted ?? 'nothing'} (R30-15)`, async () => {
      cluster.annotate('shop/a', { [OBSERVED]: '56' })
      cluster.annotate('shop/b', { [OBSERVED]: String(forged) })
      await begin(noted)
      expect(numbering.raised).to.deep.equal([raised])
      const next = Number(raised) + 1
      expect(cluster.take()).to.deep.equal([`shop/a ${next}`, `shop/b ${next}`])
    })
  }

  it('keeps the number and writes nothing where the Lease says that this very configuration was written', async () => {
    for (const key of ['shop/a', 'shop/b']) cluster.annotate(key, { [OBSERVED]: '12' })
    await begin(`12 ${X}`)
    expect(numbering.raised).to.deep.equal(['12 keeping the newest'])
    expect([cluster.take(), notes]).to.deep.equal([[], []])
  })

  for (const noted of [
    '',
    'x',
    `-1 ${X}`,
    `12345678901234 ${X}`,
    `9999999999999 ${Y}`,
    `12 ${X}0`,
    `12  ${X}`,
    `12 ${X.toUpperCase()}g`,
  ]) {
    it(`reads nothing from a Lease that says "${noted}"`, async () => {
      await begin(noted)
      expect(numbering.raised).to.deep.equal(['0'])
      expect(cluster.take()).to.deep.equal(['shop/a 3', 'shop/b 3'])
    })
  }

  it('follows a new generation, and tells the Lease when all of it was written', async () => {
    await begin()
    cluster.take()
    cluster.answers.push(500)
    await compile(generation(4, Y))
    expect(notes).to.deep.equal([`3 ${X}`])
    await clock.run(3000)
    expect(cluster.take()).to.have.members(['shop/a 4', 'shop/b 4'])
    expect(notes).to.deep.equal([`3 ${X}`, `4 ${Y}`])
  })

  it('writes first onto what was changed itself, and then the number alone onto all others (R30-31)', async () => {
    await begin()
    cluster.take()
    await compile(generation(4, Y, { a: X, b: Y }))
    expect(cluster.take()).to.deep.equal(['shop/b 4', 'shop/a 4'])
  })

  it('writes addresses beside numbers, and again when they changed or were taken away', async () => {
    addresses = [{ ip: ADDRESS }]
    await begin()
    await clock.run(2000)
    expect(cluster.take()).to.have.members(['shop/a 3', 'shop/b 3', `shop/a ${ADDRESS}`, `shop/b ${ADDRESS}`])
    addresses = [{ ip: '192.0.2.11' }]
    tenure.lookAtAll()
    await clock.run(2000)
    expect(cluster.take()).to.have.members(['shop/a 192.0.2.11', 'shop/b 192.0.2.11'])
    cluster.publish('shop/a', [])
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal(['shop/a 192.0.2.11'])
  })

  it('looks at nothing before it has begun, and begins with what there is then', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    numbering.held = promise
    running = make().run()
    await settled()
    tenure.look('shop/a')
    tenure.lookAtAll()
    tenure.compiled()
    numbering.current = generation(4, Y)
    await clock.run(100)
    expect(cluster.take()).to.deep.equal([])
    resolve()
    await clock.run(5)
    expect(cluster.take()).to.deep.equal(['shop/a 4', 'shop/b 4'])
  })

  it('writes nothing where the term is over before it has begun', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    numbering.held = promise
    running = make().run()
    await settled()
    over.abort(new NotLeadingError('over'))
    resolve()
    await running
    tenure.look('shop/a')
    tenure.compiled()
    await clock.run(100)
    expect([cluster.take(), notes]).to.deep.equal([[], []])
  })

  it('ends with its term: the write in hand is cut, and nothing follows (R30-32)', async () => {
    cluster.answers.push('hang')
    await begin()
    over.abort(new NotLeadingError('over'))
    await running
    tenure.compiled()
    tenure.lookAtAll()
    await clock.run(2000)
    expect([cluster.take(), notes]).to.deep.equal([[], []])
  })

  it('lets the write in hand end when it is halted, and begins no other (R30-44)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    cluster.answers.push(promise)
    await begin()
    tenure.halt()
    expect(tenure.isIdle).to.equal(false)
    resolve()
    await running
    expect(cluster.take()).to.deep.equal(['shop/a 3'])
  })

  it('sends nothing while it may not write, and looks again later', async () => {
    mayWrite = false
    await begin()
    expect(cluster.take()).to.deep.equal([])
    mayWrite = true
    tenure.lookAtAll()
    await clock.run(100)
    expect(cluster.take()).to.deep.equal(['shop/a 3', 'shop/b 3'])
  })

  it('gives in to who strips the number three times, tells it, and writes the others (R30-36, R70-102)', async () => {
    await begin()
    cluster.take()
    for (const [turn, number] of [4, 5, 6].entries()) {
      cluster.annotate('shop/a', { [OBSERVED]: undefined })
      expect(told).to.equal(turn === 2 ? 1 : 0)
      await clock.run(2000)
      // Not at once: with the next change alone.
      expect(cluster.take()).to.deep.equal([])
      await compile(generation(number, String(number).repeat(32)))
      expect(cluster.take()).to.have.members(turn === 2 ? ['shop/b 6'] : [`shop/a ${number}`, `shop/b ${number}`])
    }
    expect(tenure.warnings().map(({ reason, object }) => `${reason} ${object.name}`)).to.deep.equal([
      'ObservedGenerationContested a',
    ])
    expect(notes.at(-1)).to.equal(`6 ${'6'.repeat(32)}`)
  })

  it('forgets an Ingress that is deleted while it waits to be written', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    cluster.answers.push(promise)
    await begin()
    cluster.delete('shop/b')
    tenure.gone('shop/b')
    resolve()
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal(['shop/a 3'])
    expect(notes).to.deep.equal([`3 ${X}`])
  })
})
