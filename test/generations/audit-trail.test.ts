import { createServer, type IncomingMessage, type Server } from 'node:http'
import { expect } from 'chai'
import type { AuditRecord } from '../../src/generations/audit-record.ts'
import { AuditTrail } from '../../src/generations/audit-trail.ts'
import { NO_DIFF } from '../../src/model/generation-diff.ts'
import { eventually, FakeClock, settled } from '../fakes/clock.ts'
import { listening } from '../fakes/listening.ts'
import { FakeLogger } from '../fakes/logger.ts'

const RECORD: AuditRecord = {
  event: 'config',
  generation: 42,
  previous: 41,
  digest: 'd'.repeat(32),
  published: true,
  diff: { ...NO_DIFF, routesAdded: ['shop.example / -> prod/web:80'], defaultBackendChanged: true },
}

const COUNTS = {
  routes_added: 1,
  routes_removed: 0,
  backends_changed: 0,
  hosts_added: 0,
  hosts_removed: 0,
  certs_added: 0,
  certs_removed: 0,
  certs_rotated: 0,
  mirrors_added: 0,
  mirrors_removed: 0,
  policies_changed: 0,
  default_backend_changed: true,
}
const SUMMARY = '1 route added, default backend changed (gen 41->42)'
const FIELDS = { event: 'config', generation: 42, published: true, summary: SUMMARY, ...COUNTS }

interface Posted {
  readonly request: IncomingMessage
  readonly body: string
}

describe('AuditTrail', () => {
  let clock: FakeClock
  let log: FakeLogger
  let trail: AuditTrail
  let server: Server | undefined
  let posted: Posted[]
  /** Status of every answer; `undefined`: none comes. */
  let status: number | undefined

  beforeEach(() => {
    clock = new FakeClock()
    log = new FakeLogger()
    posted = []
    status = 204
  })
  afterEach(() => {
    trail.stop()
    server?.closeAllConnections()
    server?.close()
    server = undefined
  })

  function open(webhookUrl: string | undefined): void {
    trail = new AuditTrail({
      clock,
      timers: clock,
      log: log.child('audit'),
      replica: 'ramjet-0',
      webhookUrl,
      userAgent: 'ramjet/1.2.3',
      classEvent: () => undefined,
      appliedMs: 10_000,
      webhookMs: 5000,
    })
  }

  async function openWithServer(path = ''): Promise<void> {
    server = createServer((request, response) => {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body += text
      })
      request.on('end', () => {
        posted.push({ request, body })
        if (status !== undefined) response.writeHead(status, { Location: '/elsewhere' }).end('thanks')
      })
    })
    open(`http://127.0.0.1:${await listening(server)}${path}`)
  }

  it('logs every count as a field, and not the lists (R30-22)', () => {
    open(undefined)
    trail.record(RECORD)
    expect(log.records).to.deep.equal([{ level: 'info', target: 'audit', fields: FIELDS, message: 'published' }])
    expect(trail.webhookFailures).to.equal(0)
  })

  it('posts the whole record once, with time, replica and digest (R32-15)', async () => {
    await openWithServer('/hook')
    trail.record(RECORD)
    await eventually(() => posted.length === 1)
    const [{ request, body } = { request: undefined, body: '' }] = posted
    expect(request?.method).to.equal('POST')
    expect(request?.url).to.equal('/hook')
    expect(request?.headers).to.include({ 'content-type': 'application/json', 'user-agent': 'ramjet/1.2.3' })
    expect(JSON.parse(body)).to.deep.equal({
      version: 1,
      time: new Date(clock.wallMs()).toISOString(),
      replica: 'ramjet-0',
      digest: 'd'.repeat(32),
      ...FIELDS,
      diff: {
        ...Object.fromEntries(Object.keys(COUNTS).map((name) => [name, []])),
        summary: SUMMARY,
        routes_added: ['shop.example / -> prod/web:80'],
        default_backend_changed: true,
      },
    })
    await eventually(() => clock.pending().length === 0)
    expect(trail.webhookFailures).to.equal(0)
  })

  for (const refused of [302, 404, 503]) {
    it(`counts a status of ${refused}, tries no second time and follows nothing`, async () => {
      status = refused
      await openWithServer()
      trail.record(RECORD)
      await eventually(() => trail.webhookFailures === 1)
      trail.record(RECORD)
      await eventually(() => trail.webhookFailures === 2)
      expect(posted.map(({ request }) => request.url)).to.deep.equal(['/', '/'])
    })
  }

  it('gives up after 5 s, and posts what waits', async () => {
    status = undefined
    await openWithServer()
    trail.record(RECORD)
    trail.record(RECORD)
    await eventually(() => posted.length === 1)
    status = 200
    clock.advance(4_999)
    await settled()
    expect(trail.webhookFailures).to.equal(0)
    clock.advance(1)
    await eventually(() => posted.length === 2)
    expect(trail.webhookFailures).to.equal(1)
  })

  it('counts an answer of another protocol, and posts what waits', async () => {
    await openWithServer()
    server?.once('request', ({ socket }: IncomingMessage) => {
      socket.write('HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')
    })
    status = undefined
    trail.record(RECORD)
    await eventually(() => posted.length === 1)
    status = 200
    trail.record(RECORD)
    trail.record(RECORD)
    await eventually(() => posted.length === 3)
    expect(trail.webhookFailures).to.equal(1)
  })

  it('lets at most 16 wait', async () => {
    status = undefined
    await openWithServer()
    for (let index = 0; index < 20; index += 1) trail.record(RECORD)
    expect(trail.webhookFailures).to.equal(3)
    await eventually(() => posted.length === 1)
    status = 200
    clock.advance(5_000)
    await eventually(() => posted.length === 17)
    expect(trail.webhookFailures).to.equal(4)
  })

  it('counts what reaches nobody', async () => {
    const free = createServer()
    const port = await listening(free)
    await new Promise((resolve) => free.close(resolve))
    open(`http://127.0.0.1:${port}`)
    trail.record(RECORD)
    await eventually(() => trail.webhookFailures === 1)
  })

  it('leaves no connection and no timer when it is stopped', async () => {
    status = undefined
    await openWithServer()
    trail.record(RECORD)
    trail.record(RECORD)
    await eventually(() => posted.length === 1)
    trail.stop()
    await eventually(() => clock.pending().length === 0)
    expect(trail.webhookFailures).to.equal(0)
    expect(posted).to.have.length(1)
  })

  for (const [record, message] of [
    [{ event: 'config', published: false }, 'held back by a pin'],
    [{ event: 'pin' }, 'pinned'],
    [{ event: 'resume' }, 'released'],
    [{ event: 'rejected', published: false, reason: 'limit: too much' }, 'rejected'],
  ] as const) {
    it(`logs ${message}`, () => {
      open(undefined)
      trail.record({ ...RECORD, ...record })
      expect(log.records[0]).to.include({ message })
      expect(log.records[0]?.fields).to.include(record)
    })
  }
})
