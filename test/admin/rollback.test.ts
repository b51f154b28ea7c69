import { createServer as createHttpServer } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { expect } from 'chai'
import { AdminToken } from '../../src/admin/admin-token.ts'
import { parsePinRequest } from '../../src/admin/rollback.ts'
import type { PinOutcome } from '../../src/generations/publish.ts'
import type { GenerationName } from '../../src/generations/store.ts'
import type { Replica } from '../../src/model/replica.ts'
import { asPair, tablesOf } from '../builders/pair.ts'
import { eventually } from '../fakes/clock.ts'
import { listening } from '../fakes/listening.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { AdminBench, type BenchOptions } from './admin-bench.ts'

const PAIR = asPair(tablesOf({ 'a.example': [] }), { generation: 41, version: 7 })
const { digest } = PAIR.generation

/** A replica that keeps generation 41 alone. */
class Kept {
  readonly asked: GenerationName[] = []
  releases = 0
  pinned: number | undefined
  refuses = false

  sources(): NonNullable<BenchOptions['sources']> {
    return {
      generations: () => ({ pair: PAIR, pinned: this.pinned, history: [] }),
      pin: (name) => Promise.resolve(this.#pin(name)),
      release: () => {
        this.releases += 1
        this.pinned = undefined
        return Promise.resolve()
      },
    }
  }

  #pin(name: GenerationName): PinOutcome {
    this.asked.push(name)
    if (this.refuses) return { kind: 'refused', reason: 'memory', message: 'a heap ran out' }
    const isKept = 'number' in name ? name.number === 41 : name.digest === digest
    if (!isKept) return { kind: 'unknown', kept: [PAIR.generation] }
    this.pinned = 41
    return { kind: 'pinned', generation: PAIR.generation }
  }
}

function padded(bytes: number): string {
  return '{"generation": 41}'.padEnd(bytes)
}

describe('/admin/rollback', () => {
  let bench: AdminBench
  let kept: Kept
  beforeEach(async () => {
    kept = new Kept()
    bench = await AdminBench.start({ sources: kept.sources() })
  })
  afterEach(() => bench.server.close())

  it('pins by number and by digest, and tells what is served', async () => {
    const want = { version: 1, serving: 41, digest, endpointsVersion: 7, pinned: 41 }
    const reply = await bench.post('{"generation": 41}')
    expect(reply.status).to.equal(200)
    expect(reply.document).to.deep.equal(want)
    expect((await bench.post(JSON.stringify({ digest: digest.toUpperCase() }))).document).to.deep.equal(want)
    expect(kept.asked).to.deep.equal([{ number: 41 }, { digest }])
  })

  it('answers 404 with those that are kept', async () => {
    const reply = await bench.post('{"generation": 3}')
    expect(reply.status).to.equal(404)
    expect(reply.headers['content-type']).to.equal('application/problem+json')
    expect(reply.document['kept']).to.deep.equal([{ generation: 41, digest }])
  })

  it('answers 503 when the workers refuse it', async () => {
    kept.refuses = true
    const reply = await bench.post('{"generation": 41}')
    expect(reply.status).to.equal(503)
    expect(reply.document['detail']).to.include('a heap ran out')
  })

  it('releases, as often as one asks', async () => {
    await bench.post('{"generation": 41}')
    for (const query of ['', '?all=false']) {
      const reply = await bench.ask(`/admin/rollback${query}`, { method: 'DELETE' })
      expect(reply.status).to.equal(200)
      expect(reply.document['pinned']).to.equal(null)
    }
    expect(kept.releases).to.equal(2)
  })

  for (const body of [
    '',
    '{',
    '[]',
    'null',
    '{}',
    '{"generation": "41"}',
    '{"generation": 0}',
    '{"generation": 1.5}',
    '{"generation": 41, "digest": "9f2c4b6e0d1a47c28f3355aa01be7d90"}',
    '{"digest": "9f2c"}',
    '{"generation": 41, "all": "yes"}',
    '{"generation": 41, "everywhere": true}',
    '{"__proto__": {"generation": 41}}',
  ]) {
    it(`refuses the body ${body} and says what it must be`, async () => {
      const reply = await bench.post(body)
      expect(reply.status).to.equal(400)
      expect(reply.document['detail']).to.include('{"generation": N}')
      expect(kept.asked).to.deep.equal([])
    })
  }

  it('reads no body that was cut short as a whole one', () => {
    const whole = '{"digest": "9f2c4b6e0d1a47c28f3355aa01be7d90", "all": true}'
    for (let cut = 0; cut < whole.length; cut += 1) expect(parsePinRequest(whole.slice(0, cut)).ok).to.equal(false)
    expect(parsePinRequest(whole).ok).to.equal(true)
  })

  for (const [method, path] of [
    ['POST', '/admin/rollback?all=true'],
    ['DELETE', '/admin/rollback?all=yes'],
    ['DELETE', '/admin/rollback?everywhere=true'],
  ] as const) {
    it(`refuses ${method} ${path}`, async () => {
      expect((await bench.ask(path, { method, body: '{"generation": 41}' })).status).to.equal(400)
      expect(kept.releases).to.equal(0)
    })
  }

  it('takes POST and DELETE alone (R32-6)', async () => {
    for (const method of ['GET', 'HEAD', 'PUT', 'PATCH', 'OPTIONS']) {
      const reply = await bench.ask('/admin/rollback', { method })
      expect(reply.status).to.equal(405)
      expect(reply.headers['allow']).to.equal('POST, DELETE')
    }
  })

  it('takes bodies of 4 KiB and none above (R32-6)', async () => {
    expect((await bench.post(padded(4096))).status).to.equal(200)
    const reply = await bench.post(padded(4097))
    expect(reply.status).to.equal(413)
    expect(reply.headers['connection']).to.equal('close')
  })

  it('reads no more than that of a body of unknown length', async () => {
    const socket = connect(bench.port, '127.0.0.1')
    const chunk = `800\r\n${' '.repeat(0x800)}\r\n`
    socket.write(
      `POST /admin/rollback HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n${chunk.repeat(3)}`,
    )
    let text = ''
    socket.setEncoding('utf8').on('data', (more: string) => {
      text += more
    })
    await new Promise((resolve) => socket.once('close', resolve))
    expect(text).to.match(/^HTTP\/1\.1 413 /)
  })

  describe('on all replicas (R30-19)', () => {
    const dir = temporaryFolder('token', { token: 'the-token' })
    const file = join(dir, 'token')
    const log = new FakeLogger()
    const authorized = { Authorization: 'Bearer the-token' }
    let peer: AdminBench
    let other: Kept
    let replicas: Replica[]
    let asked: AdminBench

    beforeEach(async () => {
      other = new Kept()
      const token = new AdminToken(file, log)
      peer = await AdminBench.start({ sources: other.sources(), token })
      replicas = []
      asked = await AdminBench.start({ sources: { ...kept.sources(), replicas: () => replicas }, token })
      replicas.push(
        { name: 'ramjet-0', address: asked.address, ready: true, self: true },
        { name: 'ramjet-1', address: peer.address, ready: true, self: false },
      )
    })
    afterEach(() => Promise.all([asked.server.close(), peer.server.close()]))

    it('is 403 without a token file, naming the flag', async () => {
      for (const reply of [
        await bench.post('{"generation": 41, "all": true}'),
        await bench.ask('/admin/rollback?all=true', { method: 'DELETE' }),
      ]) {
        expect(reply.status).to.equal(403)
        expect(reply.document['detail']).to.include('--admin-token-file')
      }
      expect([kept.asked, kept.releases]).to.deep.equal([[], 0])
    })

    it('asks each peer by the digest, once, and tells of every replica', async () => {
      const reply = await asked.post('{"generation": 41, "all": true}', authorized)
      expect(reply.status).to.equal(200)
      expect(reply.document['replicas']).to.deep.equal([
        { name: 'ramjet-0', address: asked.address, outcome: 'pinned', reason: null },
        { name: 'ramjet-1', address: peer.address, outcome: 'pinned', reason: null },
      ])
      expect([kept.asked, other.asked]).to.deep.equal([[{ number: 41 }], [{ digest }]])
    })

    it('releases everywhere', async () => {
      const reply = await asked.ask('/admin/rollback?all=true', { method: 'DELETE', headers: authorized })
      expect(
        (reply.document['replicas'] as { readonly outcome: string }[]).map(({ outcome }) => outcome),
      ).to.deep.equal(['released', 'released'])
      expect([kept.releases, other.releases]).to.deep.equal([1, 1])
    })

    it('ends with a 404 of its own and asks nobody', async () => {
      expect((await asked.post('{"generation": 3, "all": true}', authorized)).status).to.equal(404)
      expect(other.asked).to.deep.equal([])
    })

    it('tells who does not keep it, who refused, who cannot be reached and who is silent, and undoes nothing', async () => {
      const silent = createServer(() => undefined)
      const closed = createServer()
      const [silentPort, closedPort] = [await listening(silent), await listening(closed)]
      await new Promise((resolve) => closed.close(resolve))
      const strange = await AdminBench.start({ token: new AdminToken(file, log) })
      const foreign = createHttpServer((_request, response) => response.end('{"status": "ok"}'))
      const upgrading = createServer((socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 101 Other\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n')),
      )
      const [foreignPort, upgradingPort] = [await listening(foreign), await listening(upgrading)]
      replicas.push(
        { name: 'foreign', address: `127.0.0.1:${foreignPort}`, ready: true, self: false },
        { name: 'upgrading', address: `127.0.0.1:${upgradingPort}`, ready: true, self: false },
        { name: 'closed', address: `127.0.0.1:${closedPort}`, ready: true, self: false },
        { name: 'silent', address: `127.0.0.1:${silentPort}`, ready: false, self: false },
        { name: 'strange', address: strange.address, ready: true, self: false },
      )
      other.refuses = true
      const answered = asked.post('{"generation": 41, "all": true}', authorized)
      await eventually(() => asked.clock.pending().length === 1)
      asked.clock.advance(5_000)
      const { document } = await answered
      const outcomes = document['replicas'] as { readonly name: string; outcome: string; reason: string | null }[]
      expect(outcomes.map(({ name, outcome }) => `${name} ${outcome}`)).to.deep.equal([
        'ramjet-0 pinned',
        'ramjet-1 failed',
        'foreign failed',
        'upgrading failed',
        'closed failed',
        'silent failed',
        'strange unknown',
      ])
      expect(outcomes[1]?.reason).to.match(/^503: .*a heap ran out/)
      expect(outcomes[2]?.reason).to.equal('the answer does not say that it did')
      expect(outcomes[3]?.reason).to.equal('the answer is of another protocol')
      expect(outcomes[4]?.reason).to.include('ECONNREFUSED')
      expect(outcomes[5]?.reason).to.equal('no answer within 5000 ms')
      expect(kept.pinned).to.equal(41)
      await strange.server.close()
      foreign.closeAllConnections()
      for (const server of [silent, foreign, upgrading]) server.close()
    })
  })
})
