// Who may ask the admin listener for what (R32-2 to R32-5).
import { rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { AdminToken } from '../../src/admin/admin-token.ts'
import { Guard } from '../../src/admin/guard.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { AdminBench, type AdminQuestion, type BenchOptions } from './admin-bench.ts'

const PIN = JSON.stringify({ generation: 41 })
const TOKEN = 'a-long-token'
const AUTHORIZED = { Authorization: `Bearer ${TOKEN}` }

describe('the guard of the admin listener', () => {
  const dir = temporaryFolder('token')
  const file = join(dir, 'token')
  let bench: AdminBench
  let log: FakeLogger

  beforeEach(() => {
    log = new FakeLogger()
    writeFileSync(file, `${TOKEN}\n \n`)
  })
  afterEach(() => bench.server.close())

  async function start(options: BenchOptions = {}): Promise<void> {
    const sources = { pin: () => Promise.resolve({ kind: 'unknown', kept: [] } as const) }
    bench = await AdminBench.start({ sources, ...options })
  }

  function withToken(protect: 'writes' | 'all' = 'writes'): Promise<void> {
    return start({ token: new AdminToken(file, log), protect })
  }

  /** 404 means that the question went through: no generation is kept. */
  async function statusOf({ headers = {} }: AdminQuestion = {}): Promise<number> {
    return (await bench.post(PIN, headers)).status
  }

  describe('without a token file', () => {
    beforeEach(() => start())

    it('takes changes from loopback, of any content type or none (R32-5)', async () => {
      expect(await statusOf()).to.equal(404)
      for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/json']) {
        expect(await statusOf({ headers: { 'Content-Type': type } })).to.equal(404)
      }
    })

    for (const host of ['localhost', 'LOCALHOST:10254', '127.0.0.1:80', '[::1]:10254', '192.0.2.7']) {
      it(`takes them for the Host ${host}`, async () => {
        expect(await statusOf({ headers: { Host: host } })).to.equal(404)
      })
    }

    for (const host of ['evil.example', 'evil.example:10254', 'localhost.evil.example', '127.0.0.1.example', '[::1']) {
      it(`takes none for the Host ${host}: a page's name may be pointed at loopback`, async () => {
        const reply = await bench.post(PIN, { Host: host })
        expect(reply.status).to.equal(403)
        expect(reply.document['detail']).to.include('--admin-token-file')
      })
    }

    it('takes none for two Hosts, whichever comes first', async () => {
      const [own, other] = ['Host: 127.0.0.1\r\n', 'Host: evil.example\r\n']
      expect(await firstLineOf(bench.port, `POST /admin/rollback HTTP/1.1\r\n${own + other}`)).to.include(' 403 ')
      expect(await firstLineOf(bench.port, `POST /admin/rollback HTTP/1.1\r\n${other + own}`)).to.include(' 403 ')
      expect(await firstLineOf(bench.port, `POST /admin/rollback HTTP/1.1\r\n${own}`)).to.include(' 400 ')
    })

    it('takes any token for none', async () => {
      expect(await statusOf({ headers: AUTHORIZED })).to.equal(404)
    })
  })

  it('takes no change from elsewhere without a token file, naming the flag', async () => {
    const guard = new Guard({ protect: 'writes', token: undefined })
    for (const [remoteAddress, want] of [
      ['192.0.2.1', 403],
      ['::ffff:192.0.2.1', 403],
      ['2001:db8::1', 403],
      [undefined, 403],
      ['127.8.9.1', undefined],
      ['::ffff:127.0.0.1', undefined],
      ['::1', undefined],
    ] as const) {
      const host = '192.0.2.1:10254'
      const incoming = { socket: { remoteAddress }, headers: { host }, rawHeaders: ['Host', host] }
      const answer = await guard.refusal(incoming as unknown as Parameters<Guard['refusal']>[0], 'write')
      expect(answer?.status, remoteAddress).to.equal(want)
      if (want !== undefined) expect(answer?.body).to.include('--admin-token-file')
    }
    await start()
  })

  it('takes none over an address that is not loopback, whoever that is', async () => {
    const own = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .find(({ family, internal }) => family === 'IPv4' && !internal)
    // A machine without a network shows nothing here; the guard itself is asked above.
    if (own === undefined) return start()
    await start({ host: own.address })
    expect(await statusOf()).to.equal(403)
    expect((await bench.ask('/admin/generations')).status).to.equal(200)
  })

  for (const headers of [
    { Origin: 'https://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://127.0.0.1:1' },
    { 'Sec-Fetch-Site': 'cross-site' },
  ]) {
    it(`refuses a page of another site with and without a token: ${JSON.stringify(headers)}`, async () => {
      await start()
      expect(await statusOf({ headers })).to.equal(403)
      await bench.server.close()
      await withToken()
      expect(await statusOf({ headers: { ...headers, ...AUTHORIZED } })).to.equal(403)
    })
  }

  it('takes changes of a page of its own', async () => {
    await start()
    const headers = { Origin: `http://127.0.0.1:${bench.port}`, 'Sec-Fetch-Site': 'same-origin' }
    expect(await statusOf({ headers })).to.equal(404)
  })

  describe('with a token file', () => {
    beforeEach(() => withToken())

    it('takes changes with the token, white space at its end left out (R32-4)', async () => {
      expect(await statusOf({ headers: AUTHORIZED })).to.equal(404)
      expect(await statusOf({ headers: { Authorization: `bearer  ${TOKEN}` } })).to.equal(404)
      expect(await statusOf({ headers: { ...AUTHORIZED, Host: 'ramjet-admin.ramjet.svc' } })).to.equal(404)
    })

    for (const Authorization of ['', 'Bearer', 'Bearer wrong', `Bearer ${TOKEN}x`, `Basic ${TOKEN}`, TOKEN]) {
      it(`answers 401 for "${Authorization}", and says how to ask`, async () => {
        const reply = await bench.post(PIN, Authorization === '' ? {} : { Authorization })
        expect(reply.status).to.equal(401)
        expect(reply.headers['www-authenticate']).to.equal('Bearer')
        expect(reply.headers['content-type']).to.equal('application/problem+json')
      })
    }

    it('answers GET without it, and probes', async () => {
      for (const path of ['/healthz', '/readyz', '/metrics', '/admin/generations', '/admin/config']) {
        expect((await bench.ask(path)).status).to.equal(200)
      }
    })

    it('takes a new token as soon as it is in the file', async () => {
      writeFileSync(file, 'another')
      expect(await statusOf({ headers: AUTHORIZED })).to.equal(401)
      expect(await statusOf({ headers: { Authorization: 'Bearer another' } })).to.equal(404)
    })

    for (const [what, spoil] of [
      ['empty', () => writeFileSync(file, ' \n')],
      ['of two lines', () => writeFileSync(file, 'one\ntwo\n')],
      ['gone', () => rmSync(file)],
    ] as const) {
      it(`keeps the old token while the file is ${what}, and logs that once`, async () => {
        spoil()
        for (let time = 0; time < 3; time += 1) expect(await statusOf({ headers: AUTHORIZED })).to.equal(404)
        expect(log.of('error')).to.have.length(1)
      })
    }
  })

  it('wants the token for all but the probes with --admin-protect all (R32-2)', async () => {
    await withToken('all')
    for (const path of ['/metrics', '/admin/generations', '/admin/events', '/admin/replicas/a/routes']) {
      expect((await bench.ask(path)).status, path).to.equal(401)
    }
    for (const path of ['/healthz', '/readyz?verbose']) expect((await bench.ask(path)).status).to.equal(200)
    expect((await bench.ask('/metrics', { headers: AUTHORIZED })).status).to.equal(200)
  })

  for (const [what, spoil, message] of [
    ['holds nothing', () => writeFileSync(file, '\n'), /^--admin-token-file: .* holds no token$/],
    [
      'holds what nobody can send',
      () => writeFileSync(file, 'one\ntwo\n'),
      /holds a token with a blank or something else/,
    ],
    ['is not there', () => rmSync(file), /^--admin-token-file: .* cannot be read: ENOENT/],
  ] as const) {
    it(`does not listen when the token file ${what}`, async () => {
      spoil()
      const failed = await withToken().then(
        () => undefined,
        (error: Error) => error.message,
      )
      expect(failed).to.match(message)
      await start()
    })
  }
})

/** The first line of the answer to a request without a body. */
function firstLineOf(port: number, head: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${head}Connection: close\r\n\r\n`))
    let text = ''
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString()
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
  })
}
