// GET /admin/events: server-sent events, bounded.
import { type ClientRequest, type IncomingMessage, request } from 'node:http'
import { expect } from 'chai'
import type { CurrentWarning } from '../../src/observability/current-warnings.ts'
import { pairOf } from '../builders/pair.ts'
import { eventually } from '../fakes/clock.ts'
import { AdminBench } from './admin-bench.ts'

/** One client that listens. */
class Listener {
  text = ''
  isEnded = false
  response: IncomingMessage | undefined
  readonly #request: ClientRequest

  constructor({ port }: AdminBench) {
    this.#request = request({ host: '127.0.0.1', port, path: '/admin/events', agent: false }, (response) => {
      this.response = response
      response.setEncoding('utf8').on('data', (text: string) => {
        this.text += text
      })
      response.on('error', () => undefined)
      response.once('close', () => {
        this.isEnded = true
      })
    })
    this.#request.on('error', () => {
      this.isEnded = true
    })
    this.#request.end()
  }

  /** Name and data of every event that came. */
  events(): readonly (readonly [name: string, data: unknown])[] {
    return [...this.text.matchAll(/^event: (\w+)\ndata: (.*)\n\n/gm)].map(([, name = '', data = '']) => [
      name,
      JSON.parse(data) as unknown,
    ])
  }

  stop(): void {
    this.#request.destroy()
  }
}

const WARNING: CurrentWarning = {
  warning: {
    reason: 'InvalidHost',
    object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
    field: 'f',
    message: 'm',
  },
  sinceMs: 0,
}

describe('/admin/events', () => {
  let bench: AdminBench
  let pinned: number | undefined
  let warnings: readonly CurrentWarning[]
  const pair = pairOf({ 'a.example': [] }, { generation: 41, version: 7 })
  const listeners: Listener[] = []

  beforeEach(async () => {
    pinned = undefined
    warnings = []
    const generations = () => ({ pair, pinned, history: [] })
    bench = await AdminBench.start({ sources: { generations, warnings: () => warnings } })
  })
  afterEach(async () => {
    for (const listener of listeners.splice(0)) listener.stop()
    await bench.server.close()
  })

  // Nobody listens any more, so there is no timer.
  function isGone(): boolean {
    return bench.clock.pending().length === 0
  }

  function listen(): Listener {
    const listener = new Listener(bench)
    listeners.push(listener)
    return listener
  }

  it('tells what is now, and then each thing that changes, once', async () => {
    const listener = listen()
    await eventually(() => listener.events().length === 4)
    expect(listener.response?.headers).to.include({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
    expect(listener.events()).to.deep.equal([
      ['generation', { serving: 41, digest: pair.generation.digest }],
      ['endpoints', { endpointsVersion: 7, digest: pair.endpoints.table.digest }],
      ['pin', { pinned: null }],
      ['warnings', { total: 0, reasons: {}, since: null }],
    ])
    bench.server.changed()
    pinned = 41
    bench.server.changed()
    bench.server.changed()
    warnings = [WARNING]
    bench.server.changed()
    await eventually(() => listener.events().length === 6)
    expect(listener.events().slice(4)).to.deep.equal([
      ['pin', { pinned: 41 }],
      ['warnings', { total: 1, reasons: { InvalidHost: 1 }, since: '1970-01-01T00:00:00.000Z' }],
    ])
  })

  it('tells who comes later what is then, and who was there no event twice', async () => {
    const first = listen()
    await eventually(() => first.events().length === 4)
    pinned = 41
    const second = listen()
    await eventually(() => second.events().length === 4)
    await eventually(() => first.events().length === 5)
    expect(second.events()[2]).to.deep.equal(['pin', { pinned: 41 }])
    bench.server.changed()
    expect(first.events()).to.have.length(5)
  })

  it('writes a comment each 15 s, for as long as somebody listens', async () => {
    const listener = listen()
    await eventually(() => listener.events().length === 4)
    const before = listener.text.length
    bench.clock.advance(15_000)
    await eventually(() => listener.text.length > before)
    expect(listener.text.slice(before)).to.equal(':\n\n')
    listener.stop()
    await eventually(() => bench.clock.pending().length === 0)
  })

  it('has room for 64 (R34: events_limit)', async () => {
    for (let index = 0; index < 64; index += 1) listen()
    await eventually(() => listeners.every((listener) => listener.events().length === 4))
    const refused = await bench.ask('/admin/events')
    expect(refused.status).to.equal(503)
    expect(bench.server.failures()).to.include({ events_limit: 1 })
    for (const listener of listeners) listener.stop()
    // No timer is left once the server has seen that all are gone.
    await eventually(() => bench.clock.pending().length === 0)
    const again = listen()
    await eventually(() => again.events().length === 4)
  })

  it('answers HEAD at once', async () => {
    const reply = await bench.ask('/admin/events', { method: 'HEAD' })
    expect(reply.headers['content-type']).to.equal('text/event-stream')
    expect(bench.clock.pending()).to.deep.equal([])
  })

  it('lets go of a client that takes nothing', async () => {
    const listener = listen()
    await eventually(() => listener.events().length === 4)
    listener.response?.pause()
    // Each event is new, and what the kernel takes in between is bounded too.
    for (let round = 0; round < 200_000 && !isGone(); round += 1) {
      warnings = [{ ...WARNING, sinceMs: round }]
      bench.server.changed()
      if (round % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    expect(isGone()).to.equal(true)
  })

  it('ends with the listener', async () => {
    const listener = listen()
    await eventually(() => listener.events().length === 4)
    await bench.server.close()
    await eventually(() => listener.isEnded)
    expect(bench.clock.pending()).to.deep.equal([])
  })
})
