// GET /admin/replicas and the relay to a peer (R32-40, R32-41).
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { connect, createServer as createTcpServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { AdminToken } from '../../src/admin/admin-token.ts'
import type { Replica } from '../../src/model/replica.ts'
import { eventually } from '../fakes/clock.ts'
import { listening } from '../fakes/listening.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { AdminBench } from './admin-bench.ts'

describe('the relay to a replica', () => {
  let bench: AdminBench
  let peer: Server
  let replicas: Replica[]
  let seen: IncomingMessage[]
  let answer: (request: IncomingMessage, response: ServerResponse) => void
  const closing: (() => void)[] = []

  beforeEach(async () => {
    seen = []
    answer = (_request, response) => response.end('{"from": "peer"}')
    peer = createServer((asked, response) => {
      seen.push(asked)
      answer(asked, response)
    })
    const port = await listening(peer)
    replicas = [
      { name: 'ramjet-0', address: '127.0.0.1:1', ready: true, self: true },
      { name: 'ramjet-1', address: `127.0.0.1:${port}`, ready: true, self: false },
    ]
    bench = await AdminBench.start({ sources: { replicas: () => replicas } })
  })
  afterEach(async () => {
    for (const close of closing.splice(0)) close()
    peer.closeAllConnections()
    peer.close()
    await bench.server.close()
  })

  function failures(): Readonly<Record<string, number>> {
    return Object.fromEntries(Object.entries(bench.server.failures()).filter(([, count]) => count > 0))
  }

  it('lists the replicas', async () => {
    expect((await bench.ask('/admin/replicas')).document).to.deep.equal({ version: 1, replicas })
  })

  it('asks that replica for the path and the query, and gives its answer', async () => {
    answer = (_request, response) =>
      response.writeHead(404, { 'Content-Type': 'application/problem+json' }).end('{"a": 1}')
    const reply = await bench.ask('/admin/replicas/ramjet-1/routes?host=a.example&limit=2')
    expect(seen.map(({ url }) => url)).to.deep.equal(['/admin/routes?host=a.example&limit=2'])
    expect([reply.status, reply.document]).to.deep.equal([404, { a: 1 }])
  })

  it('sends along what may go, and nothing else', async () => {
    const headers = {
      Accept: 'text/plain',
      'If-None-Match': '"x"',
      'Last-Event-ID': '7',
      Authorization: 'Bearer of-the-client',
      Cookie: 'a=b',
      'X-Any': 'y',
      Connection: 'X-Any, close',
      'X-Forwarded-For': '192.0.2.1',
    }
    await bench.ask('/admin/replicas/ramjet-1/routes', { headers })
    const { host, ...rest } = seen[0]?.headers ?? {}
    expect(rest).to.deep.equal({
      accept: 'text/plain',
      'if-none-match': '"x"',
      'last-event-id': '7',
      connection: 'close',
    })
    expect(host).to.equal(replicas[1]?.address)
  })

  it('sends our own token where there is one', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'token-'))
    writeFileSync(join(dir, 'token'), 'ours')
    const token = new AdminToken(join(dir, 'token'), new FakeLogger())
    const other = await AdminBench.start({ sources: { replicas: () => replicas }, token })
    await other.ask('/admin/replicas/ramjet-1/routes', { headers: { Authorization: 'Bearer of-the-client' } })
    expect(seen[0]?.headers.authorization).to.equal('Bearer ours')
    await other.server.close()
    rmSync(dir, { recursive: true })
  })

  it('gives no hop-by-hop field back, and follows no redirect', async () => {
    answer = (_request, response) => {
      const headers = {
        Location: '/elsewhere',
        Connection: 'X-Hop, close',
        'X-Hop': '1',
        'Keep-Alive': 'timeout=9',
        'X-End': '2',
      }
      response.writeHead(302, headers).end()
    }
    const reply = await bench.ask('/admin/replicas/ramjet-1/routes')
    expect(reply.status).to.equal(302)
    expect(reply.headers).to.include({ location: '/elsewhere', 'x-end': '2' })
    expect(reply.headers).not.to.have.any.keys('x-hop')
    expect(reply.headers['keep-alive']).not.to.equal('timeout=9')
    expect(seen).to.have.length(1)
  })

  it('answers 404 with the names for one that is not there', async () => {
    const reply = await bench.ask('/admin/replicas/ramjet-9/routes')
    expect(reply.status).to.equal(404)
    expect(reply.document['replicas']).to.deep.equal(['ramjet-0', 'ramjet-1'])
  })

  for (const path of [
    'replicas',
    'replicas/ramjet-0/routes',
    'ui',
    'ui/',
    '',
    'routes/../replicas',
    '%72eplicas',
    '..%2freplicas',
    'routes%3f',
    '/evil.example/',
    '@evil.example',
  ]) {
    it(`relays no "${path}"`, async () => {
      expect((await bench.ask(`/admin/replicas/ramjet-1/${path}`)).status).to.equal(404)
      expect(seen).to.deep.equal([])
    })
  }

  it('relays GET and HEAD without a body alone', async () => {
    const path = '/admin/replicas/ramjet-1/rollback'
    for (const method of ['POST', 'DELETE', 'PUT']) {
      const reply = await bench.ask(path, { method })
      expect([reply.status, reply.headers['allow']]).to.deep.equal([405, 'GET, HEAD'])
    }
    expect(
      (await bench.ask('/admin/replicas/ramjet-1/routes', { body: 'x', headers: { 'Content-Length': '1' } })).status,
    ).to.equal(400)
    expect(seen).to.deep.equal([])
    expect((await bench.ask('/admin/replicas/ramjet-1/routes', { method: 'HEAD' })).status).to.equal(200)
    expect(seen.map(({ method }) => method)).to.deep.equal(['HEAD'])
  })

  it('is 502 where nobody listens', async () => {
    const free = createTcpServer()
    const port = await listening(free)
    await new Promise((resolve) => free.close(resolve))
    replicas = [{ name: 'gone', address: `127.0.0.1:${port}`, ready: true, self: false }]
    expect((await bench.ask('/admin/replicas/gone/routes')).status).to.equal(502)
    expect(failures()).to.deep.equal({ relay_connect: 1 })
  })

  it('is 504 when no head comes within 5 s', async () => {
    answer = () => undefined
    const asked = bench.ask('/admin/replicas/ramjet-1/routes')
    await eventually(() => seen.length === 1)
    bench.clock.advance(5_000)
    expect((await asked).status).to.equal(504)
    expect(failures()).to.deep.equal({ relay_timeout: 1 })
    expect(bench.clock.pending()).to.deep.equal([])
  })

  it('is 504 when no connection stands within 2 s', async () => {
    // The backlog of a listener that accepts nothing is full at some point; an address of TEST-NET-1 takes none either,
    // but may be answered with an error: both are told.
    replicas = [{ name: 'far', address: '192.0.2.1:9', ready: true, self: false }]
    const asked = bench.ask('/admin/replicas/far/routes')
    await eventually(() => bench.clock.pending().length === 2 || Object.keys(failures()).length === 1)
    bench.clock.advance(2_000)
    expect((await asked).status).to.be.oneOf([502, 504])
    expect(failures()).to.deep.equal({ relay_connect: 1 })
  })

  for (const [what, head, status] of [
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade', 502],
    ['a status that is no answer', 'HTTP/1.1 101 Nothing', 502],
    ['a status that nobody may send', 'HTTP/1.1 099 Low\r\nContent-Length: 2', 502],
    ['a reason that is no text', 'HTTP/1.1 200 a\u0001b\r\nContent-Length: 2', 200],
  ] as const) {
    it(`is ${status} where the replica answers with ${what}, and goes on`, async () => {
      const strange = createTcpServer((socket) => {
        socket.on('error', () => undefined)
        socket.once('data', () => socket.write(`${head}\r\n\r\n{}`))
        closing.push(() => socket.destroy())
      })
      closing.push(() => strange.close())
      const port = await listening(strange)
      replicas = [{ name: 'strange', address: `127.0.0.1:${port}`, ready: true, self: false }]
      expect((await bench.ask('/admin/replicas/strange/routes')).status).to.equal(status)
      expect(failures()).to.deep.equal(status === 502 ? { relay_broken: 1 } : {})
      await eventually(() => bench.clock.pending().length === 0)
    })
  }

  it('passes events on as they come, and destroys the answer after 60 s of silence', async () => {
    let upstream: ServerResponse | undefined
    answer = (_request, response) => {
      upstream = response.writeHead(200, { 'Content-Type': 'text/event-stream' })
      response.write(':\n\n')
    }
    const client = await openStream('/admin/replicas/ramjet-1/events')
    await eventually(() => client.text.endsWith(':\n\n'))
    bench.clock.advance(59_000)
    upstream?.write('event: pin\n')
    await eventually(() => client.text.endsWith('event: pin\n'))
    bench.clock.advance(59_999)
    upstream?.write('data: 1\n\n')
    await eventually(() => client.text.endsWith('data: 1\n\n'))
    bench.clock.advance(60_000)
    await eventually(() => client.isClosed)
    expect(failures()).to.deep.equal({ relay_timeout: 1 })
    expect(bench.clock.pending()).to.deep.equal([])
  })

  it('destroys an answer that breaks off', async () => {
    let socket: Socket | undefined
    answer = (asked, response) => {
      socket = asked.socket
      response.writeHead(200, { 'Content-Length': '100' })
      response.write('half')
    }
    const client = await openStream('/admin/replicas/ramjet-1/routes')
    await eventually(() => client.text === 'half')
    socket?.destroy()
    await eventually(() => client.isClosed)
    expect(failures()).to.deep.equal({ relay_broken: 1 })
    expect(bench.clock.pending()).to.deep.equal([])
  })

  it('ends what it asked for when the client goes away, and counts nothing', async () => {
    let isGone = false
    answer = (asked, response) => {
      asked.socket.once('close', () => {
        isGone = true
      })
      response.writeHead(200)
      response.write('x')
    }
    const client = await openStream('/admin/replicas/ramjet-1/events')
    await eventually(() => client.text === 'x')
    client.close()
    await eventually(() => isGone)
    await eventually(() => bench.clock.pending().length === 0)
    expect(failures()).to.deep.equal({})
  })

  it('relays 64 at once, each on a connection of its own', async () => {
    const sockets = new Set<Socket>()
    answer = (asked) => sockets.add(asked.socket)
    const clients = Array.from({ length: 64 }, () => connect(bench.port, '127.0.0.1'))
    closing.push(() => {
      for (const client of clients) client.destroy()
    })
    for (const client of clients) client.write('GET /admin/replicas/ramjet-1/routes HTTP/1.1\r\nHost: a\r\n\r\n')
    await eventually(() => sockets.size === 64)
    expect((await bench.ask('/admin/replicas/ramjet-1/routes')).status).to.equal(503)
    expect(failures()).to.deep.equal({ relay_limit: 1 })
    for (const client of clients) client.destroy()
    answer = (_request, response) => response.end()
    await eventually(() => bench.clock.pending().length === 0)
    expect((await bench.ask('/admin/replicas/ramjet-1/routes')).status).to.equal(200)
  })

  interface Stream {
    text: string
    isClosed: boolean
    close(): void
  }

  function openStream(path: string): Promise<Stream> {
    return new Promise((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port: bench.port, path, agent: false }, (response) => {
        const stream: Stream = { text: '', isClosed: false, close: () => sent.destroy() }
        response.setEncoding('utf8').on('data', (text: string) => {
          stream.text += text
        })
        response.on('error', () => undefined)
        response.once('close', () => {
          stream.isClosed = true
        })
        resolve(stream)
      })
      closing.push(() => sent.destroy())
      sent.on('error', reject)
      sent.end()
    })
  }
})
