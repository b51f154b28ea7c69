import { expect } from 'chai'
import { decodeIngress } from '../../src/api/decode-networking.ts'
import type { Ingress } from '../../src/api/networking.ts'
import { INGRESSES } from '../../src/controllers/kinds.ts'
import { ObjectWriter, type WrittenPart } from '../../src/controllers/object-writer.ts'
import { recordOf } from '../../src/lib/json-record.ts'
import { ApiStatusError, ApiUnreachableError } from '../../src/runtime/api-errors.ts'
import type { CallOptions } from '../../src/runtime/client.ts'
import { NotLeadingError } from '../../src/runtime/leader-election.ts'
import type { Store } from '../../src/runtime/store.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { ingress } from '../builders/ingress.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { cacheOf } from '../fakes/lister.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

interface Choice {
  readonly perSecond?: number
  readonly burst?: number
  readonly isNarrowed?: boolean
}

interface Sent {
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
  readonly query: Readonly<Record<string, string>> | undefined
  readonly atMs: number
}

function refusal(status: number, retryAfterMs = 0): ApiStatusError {
  return new ApiStatusError(`refused ${status}`, { status, reason: '', retryAfterMs, causes: [] })
}

function stored(key: string, version: number, annotations: Readonly<Record<string, string>> = {}): Ingress {
  const object = ingress(key).build()
  return { ...object, metadata: { ...object.metadata, resourceVersion: String(version), annotations } }
}

describe('ObjectWriter', () => {
  let clock: FakeClock
  let log: FakeLogger
  let cache: Store<Ingress>
  let sent: Sent[]
  let answers: (Error | 'hang' | undefined)[]
  let term: AbortController
  let running: Promise<void>
  let writer: ObjectWriter<Ingress>
  let refused: number
  let idle: number
  let mayWrite: boolean
  /** Answers come when this has resolved. */
  let held: Promise<void>
  /** What every Ingress should have under the annotation `n`. */
  let wanted: string

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    cache = cacheOf([stored('shop/a', 10), stored('shop/b', 11)])
    sent = []
    answers = []
    refused = 0
    idle = 0
    mayWrite = true
    held = Promise.resolve()
    wanted = '1'
    term = new AbortController()
    start([annotationPart])
  })

  afterEach(async () => {
    term.abort(new NotLeadingError('over'))
    await running
    expect(clock.pending(), 'timers left').to.deep.equal([])
  })

  const annotationPart: WrittenPart<Ingress> = {
    target: 'object',
    plan: (_key, { metadata }) =>
      metadata.annotations?.['n'] === wanted
        ? undefined
        : { target: 'object', body: { metadata: { annotations: { n: wanted } } } },
  }

  function start(
    parts: readonly WrittenPart<Ingress>[],
    { perSecond = 20, burst = 40, isNarrowed = false }: Choice = {},
  ): void {
    writer = new ObjectWriter({
      resource: INGRESSES,
      decode: decodeIngress,
      client: { patch },
      lister: cache,
      parts,
      bucket: new TokenBucket({ perSecond, burst, clock, timers: clock }),
      check: () => {
        if (!mayWrite) throw new NotLeadingError('no')
      },
      settings: { objectWriteMs: 1000, forbiddenWriteMs: 300_000, isNarrowed },
      onIdle: () => {
        idle += 1
      },
      onRefused: () => {
        refused += 1
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log,
    })
    running = writer.run(term.signal)
  }

  /** Answers with the object as it would be then, which the cache does not have yet. */
  async function patch(path: string, raw: unknown, { signal, query, check }: CallOptions): Promise<unknown> {
    check?.()
    const body = recordOf(raw)
    sent.push({ path, body, query, atMs: clock.monotonicMs() })
    const answer = answers.shift()
    await held
    if (answer === 'hang') {
      return await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new NotLeadingError('cut')))
      })
    }
    if (answer) throw answer
    const [, namespace = '', name = ''] = /namespaces\/([^/]+)\/ingresses\/([^/]+)/.exec(path) ?? []
    const metadata = recordOf(body['metadata'])
    const version = Number(metadata['resourceVersion']) + 100
    const before = cache.get(`${namespace}/${name}`)?.metadata.annotations ?? {}
    const annotations = { ...before, ...recordOf(metadata['annotations']) } as Record<string, string>
    return await Promise.resolve(stored(`${namespace}/${name}`, version, annotations))
  }

  const namesSent = (): readonly string[] => sent.map(({ path }) => path.slice(-1))
  const versions = (): readonly unknown[] => sent.map(({ body }) => recordOf(body['metadata'])['resourceVersion'])

  it('patches what is lacking, as our field manager, with the version that it was computed from (R30-30)', async () => {
    writer.look('shop/a')
    await settled()
    expect(sent).to.have.length(1)
    expect(sent[0]).to.deep.include({
      path: '/apis/networking.k8s.io/v1/namespaces/shop/ingresses/a',
      query: { fieldManager: 'ramjet-ingress' },
      body: { metadata: { annotations: { n: '1' }, resourceVersion: '10' } },
    })
  })

  it('writes no equal value, takes no token for it, and nothing for an object that is gone', async () => {
    term.abort(new NotLeadingError('over'))
    await running
    term = new AbortController()
    start([annotationPart], { perSecond: 1, burst: 1 })
    cache.set(stored('shop/a', 12, { n: '1' }))
    for (const key of ['shop/a', 'shop/nobody', 'shop/a']) {
      writer.look(key)
      await settled()
    }
    writer.look('shop/b')
    await settled()
    expect(sent.map(({ path }) => path.slice(-1))).to.deep.equal(['b'])
  })

  it('takes what it wrote itself for true until the cache is as new', async () => {
    writer.look('shop/a')
    await settled()
    writer.look('shop/a')
    await clock.run(1100)
    expect(sent).to.have.length(1)
    wanted = '2'
    writer.look('shop/a')
    await clock.run(1100)
    expect(versions()).to.deep.equal(['10', '110'])
    cache.set(stored('shop/a', 500, { n: 'of somebody' }))
    writer.look('shop/a')
    await clock.run(1100)
    expect(versions()).to.deep.equal(['10', '110', '500'])
  })

  it('writes to one object at most once a second, and only the newest value (R30-31)', async () => {
    writer.look('shop/a')
    await settled()
    for (let value = 2; value < 40; value += 1) {
      wanted = String(value)
      writer.look('shop/a')
      await clock.run(50)
    }
    const times = sent.map(({ atMs }) => atMs - (sent[0]?.atMs ?? 0))
    expect(times).to.have.length(2)
    expect(times[1]).to.be.within(1000, 1001)
  })

  for (const status of [409, 404]) {
    it(`drops a write that is answered ${status}, and computes anew from the next version (R30-30)`, async () => {
      answers = [refusal(status)]
      writer.look('shop/a')
      await clock.run(5)
      writer.look('shop/a')
      await clock.run(3000)
      expect(versions()).to.deep.equal(['10'])
      cache.set(stored('shop/a', 20))
      writer.look('shop/a')
      await clock.run(1100)
      expect(versions()).to.deep.equal(['10', '20'])
      expect(refused).to.equal(1)
      expect(log.of('warn')).to.deep.equal([])
    })
  }

  it('tells once of a kind of write that is forbidden, tries one of them after its time, and heals (R30-30)', async () => {
    answers = [refusal(403), refusal(403)]
    for (const key of ['shop/a', 'shop/b']) writer.look(key)
    await clock.run(10)
    expect(sent).to.have.length(1)
    clock.advance(300_000)
    await clock.run(10)
    expect(sent).to.have.length(2)
    expect(log.of('warn')).to.have.length(1)
    clock.advance(300_000)
    await clock.run(10)
    expect(sent.slice(2).map(({ path }) => path.slice(-1))).to.have.members(['a', 'b'])
    expect(refused).to.equal(2)
  })

  it('goes on in other namespaces when one forbids it, where permissions are granted by namespace (R50-21)', async () => {
    term.abort(new NotLeadingError('over'))
    await running
    term = new AbortController()
    start([annotationPart], { isNarrowed: true })
    for (const [index, key] of ['shop/b', 'cafe/c', 'cafe/d'].entries()) cache.set(stored(key, 20 + index))
    answers = [refusal(403)]
    for (const key of ['shop/a', 'cafe/c', 'shop/b', 'cafe/d']) writer.look(key)
    await clock.run(1100)
    expect(namesSent()).to.deep.equal(['a', 'c', 'd'])
    clock.advance(300_000)
    await clock.run(10)
    expect(namesSent().slice(3)).to.have.members(['a', 'b'])
  })

  for (const [words, status] of [
    ['forbidden', 403],
    ['refused, as an admission policy does it', 422],
  ] as const) {
    it(`writes the other parts of an object when one of them is ${words}`, async () => {
      term.abort(new NotLeadingError('over'))
      await running
      term = new AbortController()
      const statusPart: WrittenPart<Ingress> = {
        target: 'status',
        plan: () =>
          sent.some(({ path }) => path.endsWith('/status')) ? undefined : { target: 'status', body: { status: {} } },
      }
      start([annotationPart, statusPart])
      answers = [refusal(status)]
      writer.look('shop/a')
      await clock.run(1100)
      expect(sent.map(({ path }) => path.replace(/.*ingresses/, '')).slice(0, 2)).to.deep.equal(['/a', '/a/status'])
    })
  }

  for (const [words, error, leastMs] of [
    ['429', refusal(429, 7000), 7000],
    ['500', refusal(500), 400],
    ['no answer', new ApiUnreachableError('gone'), 400],
  ] as const) {
    it(`waits after ${words}, all objects together, and then tries again (R70-104)`, async () => {
      answers = [error]
      writer.look('shop/a')
      writer.look('shop/b')
      await clock.run(leastMs - 1)
      expect(sent).to.have.length(1)
      await clock.run(1500)
      expect(sent.slice(1).map(({ path }) => path.slice(-1))).to.have.members(['a', 'b'])
    })
  }

  it('drops what the API server calls invalid, says so, and goes on with the others', async () => {
    answers = [refusal(422)]
    writer.look('shop/a')
    writer.look('shop/b')
    await clock.run(3000)
    expect(sent.map(({ path }) => path.slice(-1))).to.deep.equal(['a', 'b'])
    expect(log.of('warn').map(({ message }) => message)).to.deep.equal(['a write was refused'])
  })

  it('sends nothing from the moment that it may not write (R30-32)', async () => {
    mayWrite = false
    writer.look('shop/a')
    await clock.run(2000)
    expect(sent).to.deep.equal([])
  })

  it('ends with its term, and cuts the write in hand (R70-89)', async () => {
    answers = ['hang']
    writer.look('shop/a')
    await settled()
    expect(sent).to.have.length(1)
    term.abort(new NotLeadingError('lost'))
    await running
  })

  it('begins nothing after halt and lets the write in hand end (R30-44)', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    writer.look('shop/a')
    writer.look('shop/b')
    await settled()
    writer.halt()
    let hasEnded = false
    void running.finally(() => {
      hasEnded = true
    })
    await settled()
    expect([sent.length, hasEnded]).to.deep.equal([1, false])
    resolve()
    await running
    writer.look('shop/b')
    await settled()
    expect(sent).to.have.length(1)
  })

  it('tells when nothing is left to be written', async () => {
    await settled()
    const before = idle
    writer.look('shop/a')
    expect(writer.isIdle).to.equal(false)
    await clock.run(1100)
    expect(writer.isIdle).to.equal(true)
    expect(idle).to.be.above(before)
  })

  it('keeps to the pace of the bucket over many objects (R30-31)', async () => {
    for (let index = 0; index < 60; index += 1) cache.set(stored(`shop/m${index}`, 1000 + index))
    for (let index = 0; index < 60; index += 1) writer.look(`shop/m${index}`)
    await settled()
    await clock.run(450)
    expect(sent.length).to.be.within(48, 50)
    await clock.run(600)
    expect(sent).to.have.length(60)
  })
})
