import { expect } from 'chai'
import { recordOf } from '../../src/lib/json-record.ts'
import { ApiStatusError, ApiUnreachableError } from '../../src/runtime/api-errors.ts'
import type { CallOptions } from '../../src/runtime/client.ts'
import { type EventInput, EventRecorder } from '../../src/runtime/event-recorder.ts'
import { NotLeadingError } from '../../src/runtime/leader-election.ts'
import { TokenBucket } from '../../src/runtime/token-bucket.ts'
import { FakeClock, settled } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { fixedRandom } from '../fakes/random.ts'

interface Sent {
  readonly method: 'POST' | 'PATCH'
  readonly path: string
  readonly body: Readonly<Record<string, unknown>>
}

function refusal(status: number, causes: readonly string[] = []): ApiStatusError {
  return new ApiStatusError(`refused ${status}`, { status, reason: '', retryAfterMs: 0, causes })
}

function about(name: string, fields: Partial<EventInput> = {}, namespace: string | undefined = 'shop'): EventInput {
  const place = namespace === '' ? {} : { namespace }
  const regarding = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name, uid: `uid-${name}`, ...place }
  return { regarding, type: 'Warning', reason: 'InvalidHost', action: 'Compile', note: 'no host', ...fields }
}

describe('EventRecorder', () => {
  let clock: FakeClock
  let log: FakeLogger
  let sent: Sent[]
  let answers: (Error | undefined)[]
  let stop: AbortController
  let recorder: EventRecorder
  let running: Promise<void>
  let mayWrite: boolean

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    sent = []
    answers = []
    mayWrite = true
    stop = new AbortController()
    recorder = make()
    running = recorder.run(stop.signal)
  })

  afterEach(async () => {
    stop.abort(new Error('over'))
    await running
    expect(clock.pending()).to.deep.equal([])
  })

  const call = (method: Sent['method']) => async (path: string, body: unknown, options: CallOptions) => {
    options.check?.()
    sent.push({ method, path, body: recordOf(body) })
    const answer = answers.shift()
    if (answer) throw answer
    return await Promise.resolve({})
  }

  function make(queueSize = 1000, burst = 1000): EventRecorder {
    return new EventRecorder({
      client: { post: call('POST'), patch: call('PATCH') },
      settings: {
        queueSize,
        forbiddenMs: 300_000,
        reportingController: 'ramjet.dev/ingress',
        reportingInstance: 'pod-1',
      },
      bucket: new TokenBucket({ perSecond: 20, burst, clock, timers: clock }),
      check: () => {
        if (!mayWrite) throw new NotLeadingError('no')
      },
      clock,
      timers: clock,
      random: fixedRandom(0.5),
      log,
    })
  }

  const name = (event: Sent | undefined): string => String(recordOf(event?.body['metadata'])['name'])

  it('writes what the API wants of an Event (R30-25)', async () => {
    recorder.record(about('web', { note: 'x'.repeat(2000) }))
    await settled()
    const [event] = sent
    expect(event?.path).to.equal('/apis/events.k8s.io/v1/namespaces/shop/events')
    expect(event?.body).to.deep.include({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      type: 'Warning',
      reason: 'InvalidHost',
      action: 'Compile',
      reportingController: 'ramjet.dev/ingress',
      reportingInstance: 'pod-1',
      regarding: about('web').regarding,
    })
    expect(Buffer.byteLength(String(event?.body['note']))).to.equal(1024)
    expect(event?.body['eventTime']).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/)
    expect(name(event)).to.match(/^web\.[0-9a-f]+$/)
  })

  for (const end of ['-', '.', '.-']) {
    it(`has a name that the API takes where that of the object is long and cut behind "${end}"`, async () => {
      recorder.record(about(`${'a'.repeat(200 - end.length)}${end}${'b'.repeat(20)}`))
      await settled()
      expect(name(sent[0])).to.match(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/)
    })
  }

  it('puts those about cluster-scoped objects into namespace default (R30-24)', async () => {
    recorder.record(about('ramjet', {}, ''))
    await settled()
    expect(sent[0]?.path).to.equal('/apis/events.k8s.io/v1/namespaces/default/events')
    expect(recordOf(sent[0]?.body['metadata'])['namespace']).to.equal('default')
  })

  it('counts an equal one as a series of the first, and writes another note as another Event', async () => {
    for (const note of ['a', 'a', 'a', 'b']) {
      recorder.record(about('web', { note }))
      await settled()
    }
    expect(sent.map(({ method }) => method)).to.deep.equal(['POST', 'PATCH', 'PATCH', 'POST'])
    expect(sent[2]?.path).to.equal(`${sent[0]?.path}/${name(sent[0])}`)
    expect(sent.slice(1, 3).map(({ body }) => recordOf(body['series'])['count'])).to.deep.equal([2, 3])
    expect(name(sent[3])).not.to.equal(name(sent[0]))
  })

  it('writes anew what the API server has forgotten', async () => {
    recorder.record(about('web'))
    await settled()
    answers = [refusal(404)]
    recorder.record(about('web'))
    await settled()
    expect(sent.map(({ method }) => method)).to.deep.equal(['POST', 'PATCH', 'POST'])
    expect(recorder.dropped).to.equal(0)
  })

  it('folds those that wait by object and reason into the newest (R30-28)', async () => {
    stop.abort(new Error('over'))
    await running
    recorder = make(1000, 0)
    stop = new AbortController()
    running = recorder.run(stop.signal)
    for (const note of ['a', 'b', 'c']) recorder.record(about('web', { note }))
    recorder.record(about('web', { reason: 'InvalidPath', note: 'p' }))
    await clock.run(200)
    expect(sent.map(({ body }) => [body['reason'], body['note']])).to.deep.equal([
      ['InvalidHost', 'c'],
      ['InvalidPath', 'p'],
    ])
  })

  it('holds so many and drops what comes above, counted (R30-28)', () => {
    const small = make(3)
    for (let object = 0; object < 5; object += 1) small.record(about(`web-${object}`))
    small.record(about('web-0', { note: 'newer' }))
    expect(small.dropped).to.equal(2)
  })

  for (const status of [403, 422, 429]) {
    it(`drops and counts what is answered ${status}, and goes on with the next (R70-101)`, async () => {
      answers = [refusal(status)]
      recorder.record(about('web'))
      recorder.record(about('other', {}, 'elsewhere'))
      await clock.run(900)
      expect(recorder.dropped).to.equal(1)
      expect(sent).to.have.length(2)
    })
  }

  it('leaves a namespace alone for a while that it may not write into, and then tries again', async () => {
    answers = [refusal(403)]
    for (const object of ['a', 'b', 'c']) recorder.record(about(object))
    await clock.run(5)
    expect([sent.length, recorder.dropped]).to.deep.equal([1, 3])
    clock.advance(300_001)
    recorder.record(about('d'))
    await settled()
    expect([sent.length, recorder.dropped]).to.deep.equal([2, 3])
    expect(log.of('warn')).to.have.length(1)
  })

  it('says nothing of a namespace that is going (R70-98)', async () => {
    answers = [refusal(403, ['NamespaceTerminating'])]
    recorder.record(about('web'))
    await clock.run(5)
    expect([recorder.dropped, log.of('warn').length]).to.deep.equal([1, 0])
  })

  for (const [words, error] of [
    ['an API server that fails', refusal(500)],
    ['an answer that never came', new ApiUnreachableError('gone')],
  ] as const) {
    it(`tries again after ${words}, under the same name, so that no second Event is made`, async () => {
      answers = [error, refusal(409)]
      recorder.record(about('web'))
      await clock.run(1000)
      expect(sent.map(name)).to.deep.equal([name(sent[0]), name(sent[0])])
      expect(recorder.dropped).to.equal(0)
    })
  }

  it('sends nothing where it may not write any more, and forgets what waits when its term ends', async () => {
    mayWrite = false
    recorder.record(about('web'))
    await clock.run(100)
    stop.abort(new Error('over'))
    await running
    mayWrite = true
    stop = new AbortController()
    running = recorder.run(stop.signal)
    await clock.run(5000)
    expect(sent).to.deep.equal([])
  })
})
