import { expect } from 'chai'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { AddressSource } from '../../src/controllers/address-source.ts'
import type { ClusterCaches } from '../../src/controllers/cluster-source.ts'
import { ClusterWriter, type ClusterWriterSettings, type Elector } from '../../src/controllers/cluster-writer.ts'
import type { OwnPods } from '../../src/controllers/own-pods.ts'
import { DEFAULT_TUNABLES } from '../../src/controllers/tunables.ts'
import type { Warning } from '../../src/model/warning.ts'
import type { ApiReader, ApiWriter } from '../../src/runtime/client.ts'
import { NotLeadingError, type Term } from '../../src/runtime/leader-election.ts'
import { ingress } from '../builders/ingress.ts'
import { ingressClass } from '../builders/ingress-class.ts'
import { compileCluster } from '../compiler/cluster.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { cacheOf } from '../fakes/lister.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'
import { WrittenIngresses } from '../fakes/written-ingresses.ts'

const ADDRESS = '192.0.2.10'
const POD_IP = '192.0.2.1'
const NEVER = (): never => {
  throw new Error('nobody asks for this')
}

/** Leads when the test says so. */
class FakeElector implements Elector {
  readonly name = 'elector'
  readonly notes: string[] = []
  isLeading = false
  /** False: time is up, and nobody was told yet. */
  isInTime = true
  isRunning = false
  #term: AbortController | undefined
  readonly #onLead: (term: Term) => void

  constructor(onLead: (term: Term) => void) {
    this.#onLead = onLead
  }

  mayWrite(): boolean {
    return this.isLeading && this.isInTime
  }

  note(_annotation: string, value: string): void {
    this.notes.push(value)
  }

  lead(): void {
    this.#term = new AbortController()
    this.isLeading = true
    this.#onLead({ signal: this.#term.signal, noted: () => this.notes.at(-1) })
  }

  lose(): void {
    this.isLeading = false
    this.#term?.abort(new NotLeadingError('lost'))
  }

  async run(signal: AbortSignal): Promise<void> {
    this.isRunning = true
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve)
    })
    this.lose()
    this.isRunning = false
  }
}

/** Another table for each `path`. */
function compiledFrom(keys: readonly string[], path: string): CompileResult {
  return compileCluster({
    classes: [ingressClass('ramjet')],
    ingresses: keys.map((key, index) => ingress(key).host(`h${index}.example`).path(path, 'web:80')),
  })
}

const found = (name: string): Warning => ({
  reason: 'InvalidHost',
  object: { kind: 'Ingress', namespace: 'shop', name },
  field: 'spec',
  message: 'm',
})

describe('ClusterWriter', () => {
  let clock: FakeClock
  let cluster: WrittenIngresses
  let writer: ClusterWriter
  let elector: FakeElector
  let number: number
  let raised: number
  let result: CompileResult | undefined
  let closed: number
  let log: FakeLogger
  let addressesChanged: () => void
  let addresses: AddressSource
  let unread: readonly Warning[]
  let warned: number
  let readingChanged: () => void
  let published: readonly string[]

  beforeEach(() => {
    clock = new FakeClock()
    cluster = new WrittenIngresses(clock, ['shop/a', 'shop/b', 'shop/gone'])
    log = new FakeLogger()
    number = 1
    raised = 0
    result = undefined
    closed = 0
    published = [ADDRESS]
    addressesChanged = NEVER
    unread = []
    warned = 0
    readingChanged = NEVER
    addresses = {
      parts: [],
      current: () => published.map((ip) => ({ ip })),
      onChange: (listener) => {
        addressesChanged = listener
      },
      warnings: () => unread,
      onStatus: (listener) => {
        readingChanged = listener
      },
    }
    make()
  })

  afterEach(async () => {
    const stopping = writer.stop()
    await clock.run(600)
    await stopping
    expect(clock.pending(), 'timers left').to.deep.equal([])
  })

  interface Choice extends Partial<ClusterWriterSettings> {
    readonly isReadOnly?: boolean
    /** Addresses of the pods that are ready. */
    readonly pods?: readonly string[]
  }

  function make({ isReadOnly = false, pods, ...settings }: Choice = {}): void {
    const nobody = { lister: cacheOf([]), addHandler: () => undefined }
    const classes = { lister: cacheOf([ingressClass('ramjet'), ingressClass('edge')]), addHandler: () => undefined }
    const caches = { ingresses: cluster.informer, ingressClasses: classes, services: nobody, classParameters: nobody }
    const client = { patch: cluster.patch.bind(cluster), post: cluster.post.bind(cluster) }
    const numbering = {
      newest: () =>
        result && { number, digest: result.tables.routes.digest, routes: result.tables.routes, warnings: [] },
      kept: () => [],
      raiseNumberTo: (highest: number) => {
        raised += 1
        number = Math.max(number, highest + 1)
        return Promise.resolve()
      },
    }
    const ownPods: OwnPods | undefined = pods && {
      part: {
        name: 'pods',
        run: (signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve())),
      },
      all: () => pods.map((address) => ({ addresses: [address], node: undefined })),
      onChange: () => undefined,
      warnings: () => [],
      onStatus: () => undefined,
    }
    writer = new ClusterWriter({
      client: client as unknown as ApiReader & ApiWriter,
      elector: isReadOnly
        ? undefined
        : (onLead) => {
            elector = new FakeElector(onLead)
            return elector
          },
      addresses,
      pods: ownPods,
      caches: caches as unknown as ClusterCaches,
      numbering,
      served: () => undefined,
      settings: {
        writesStatus: true,
        observedGeneration: 'all',
        isNarrowed: false,
        clearsOnShutdown: false,
        podName: 'ramjet-0',
        podIp: POD_IP,
        ...settings,
      },
      tunables: DEFAULT_TUNABLES,
      onWarnings: () => {
        warned += 1
      },
      close: () => {
        closed += 1
        return Promise.resolve()
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log,
    })
    writer.start()
  }

  async function compile(...keys: readonly string[]): Promise<void> {
    number += 1
    result = compiledFrom(keys, `/${number}`)
    writer.compiled(result)
    await clock.run(2200)
  }

  /** Leads over shop/a and shop/b, with everything written. */
  async function leading(): Promise<void> {
    elector.lead()
    await compile('shop/a', 'shop/b')
    expect(cluster.take()).to.have.members(['shop/a 2', 'shop/b 2', `shop/a ${ADDRESS}`, `shop/b ${ADDRESS}`])
  }

  /** Ends it and lets time pass meanwhile. */
  async function stop(ms: number): Promise<void> {
    const stopping = writer.stop()
    await clock.run(ms)
    await stopping
  }

  it('writes nothing without leading, however much is compiled (R30-42)', async () => {
    await compile('shop/a', 'shop/b')
    writer.update([found('a')])
    await clock.run(2000)
    expect([cluster.take(), cluster.events]).to.deep.equal([[], []])
    expect(writer.figures().isLeading).to.equal(false)
  })

  it('says what keeps its addresses from being read, as soon as that changes (R30-48)', () => {
    expect(writer.warnings()).to.deep.equal([])
    unread = [found('a')]
    readingChanged()
    expect([writer.warnings(), warned]).to.deep.equal([unread, 1])
  })

  it('writes nothing where it never may, and ends at once (R30-39)', async () => {
    make({ isReadOnly: true })
    await compile('shop/a')
    writer.update([found('a')])
    await clock.run(2000)
    expect([cluster.take(), cluster.events, writer.figures().isLeading]).to.deep.equal([[], [], false])
  })

  it('writes nothing before something was compiled, and then all of it', async () => {
    elector.lead()
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal([])
    await compile('shop/a')
    expect(cluster.take()).to.deep.equal(['shop/a 2', `shop/a ${ADDRESS}`])
    expect(writer.figures().isLeading).to.equal(true)
  })

  it('writes nothing where the term ended before anything was compiled', async () => {
    elector.lead()
    elector.lose()
    await compile('shop/a')
    expect([cluster.take(), raised]).to.deep.equal([[], 0])
  })

  it('writes Events alone with --no-status-update (R30-39)', async () => {
    make({ writesStatus: false })
    elector.lead()
    await compile('shop/a')
    writer.update([found('a')])
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal([])
    expect(cluster.events).to.deep.equal(['Normal Accepted default/ramjet', 'Warning InvalidHost shop/a'])
  })

  it('is asked directly before each write whether it still may (R30-32)', async () => {
    elector.lead()
    elector.isInTime = false
    await compile('shop/a')
    writer.update([found('a')])
    await clock.run(5000)
    expect([cluster.take(), cluster.events]).to.deep.equal([[], []])
  })

  it('ends a term with its last write, and begins the next one after that', async () => {
    await leading()
    const { promise, resolve } = Promise.withResolvers<void>()
    cluster.answers.push(promise)
    await compile('shop/a')
    elector.lose()
    elector.lead()
    addressesChanged()
    await clock.run(2200)
    expect([cluster.take(), raised]).to.deep.equal([[], 1])
    resolve()
    await clock.run(2200)
    // The Lease does not say that 3 was written for all, so that the new term numbers anew.
    expect([cluster.take(), raised]).to.deep.equal([['shop/a 3', 'shop/a 4'], 2])
    expect(elector.notes.at(-1)).to.match(/^4 /)
  })

  it('tells each new term what there is to warn of, once (R30-26)', async () => {
    writer.update([found('a')])
    await leading()
    expect(cluster.events).to.deep.equal(['Warning InvalidHost shop/a', 'Normal Accepted default/ramjet'])
    writer.update([found('a')])
    await clock.run(1000)
    expect(cluster.events).to.have.length(2)
    elector.lose()
    writer.update([found('a'), found('b'), found('gone')])
    writer.update([found('a'), found('b')])
    await clock.run(1000)
    expect(cluster.events).to.have.length(2)
    elector.lead()
    await clock.run(2000)
    const warnings = cluster.events.slice(2).filter((event) => event.startsWith('Warning'))
    expect(warnings).to.deep.equal(['Warning InvalidHost shop/a', 'Warning InvalidHost shop/b'])
  })

  it('clears the address of an Ingress that it gave up to nobody, and of no other (R30-38)', async () => {
    await leading()
    // It was seen to be ours, which needs no annotation.
    cluster.annotate('shop/a', { 'ramjet.dev/observed-generation': undefined })
    cluster.reclass('shop/a', 'nobody')
    await compile('shop/b')
    expect(cluster.take()).to.have.members(['shop/b 3', 'shop/a none'])
    // Once: what is written there afterwards is somebody else's.
    cluster.publish('shop/a', [{ ip: '192.0.2.99' }])
    await clock.run(2000)
    expect(cluster.take()).to.deep.equal([])
  })

  it('leaves the address of an Ingress that another class has now', async () => {
    await leading()
    cluster.reclass('shop/a', 'edge')
    await compile('shop/b')
    expect(cluster.take()).to.deep.equal(['shop/b 3'])
  })

  it('writes addresses anew when they change', async () => {
    await leading()
    published = ['192.0.2.20']
    addressesChanged()
    await clock.run(2000)
    expect(cluster.take()).to.have.members(['shop/a 192.0.2.20', 'shop/b 192.0.2.20'])
  })

  it('counts what was refused, by kind (R30-30)', async () => {
    elector.lead()
    cluster.answers.push(403, 500)
    await compile('shop/a')
    const { writeFailures } = writer.figures()
    expect([...writeFailures]).to.deep.equal([
      ['Ingress', 2],
      ['ClassParameters', 0],
    ])
  })

  it('lets the write in hand end and gives the lease back after it; nothing follows (R30-44)', async () => {
    await leading()
    const { promise, resolve } = Promise.withResolvers<void>()
    cluster.answers.push(promise)
    await compile('shop/a', 'shop/b')
    const stopping = writer.stop()
    writer.update([found('b')])
    await clock.run(100)
    expect([elector.isLeading, closed, cluster.events.length]).to.deep.equal([true, 0, 1])
    resolve()
    await clock.run(100)
    await stopping
    expect([elector.isLeading, elector.isRunning, closed]).to.deep.equal([false, false, 1])
    expect(cluster.take()).to.deep.equal(['shop/a 3'])
    writer.compiled(compiledFrom(['shop/a'], '/last'))
    writer.update([found('b')])
    await clock.run(2000)
    expect([cluster.take(), cluster.events.length]).to.deep.equal([[], 1])
  })

  it('waits half a second for it at most, and cuts it then', async () => {
    await leading()
    cluster.answers.push('hang')
    await compile('shop/a', 'shop/b')
    const stopping = writer.stop()
    await settled()
    await clock.run(499)
    expect(elector.isLeading).to.equal(true)
    await clock.run(1)
    await stopping
    expect([elector.isLeading, cluster.take()]).to.deep.equal([false, []])
  })

  it('leaves every address where it stops (R30-38)', async () => {
    make({ pods: [POD_IP] })
    await leading()
    await stop(600)
    expect(cluster.take()).to.deep.equal([])
  })

  it('takes its addresses with it as the last replica, where that is asked for, and clears them before it gives the lease back', async () => {
    make({ pods: [POD_IP], clearsOnShutdown: true })
    await leading()
    await stop(1500)
    expect(cluster.take()).to.have.members(['shop/a none', 'shop/b none'])
    expect(elector.isRunning).to.equal(false)
  })

  for (const [who, pods] of [
    ['another replica is ready', [POD_IP, '192.0.2.2']],
    ['nobody knows which replicas there are', undefined],
  ] as const) {
    it(`leaves them where ${who}`, async () => {
      make({ ...(pods ? { pods } : {}), clearsOnShutdown: true })
      await leading()
      await stop(600)
      expect(cluster.take()).to.deep.equal([])
      expect(log.of('warn')).to.have.length(pods ? 0 : 1)
    })
  }

  it('leaves them where it does not lead', async () => {
    make({ pods: [POD_IP], clearsOnShutdown: true })
    await leading()
    elector.lose()
    await stop(600)
    expect(cluster.take()).to.deep.equal([])
  })
})
