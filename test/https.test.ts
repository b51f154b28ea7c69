// The TLS listener of the whole program, asked by curl (R20-13, R20-14, R20-16, R20-20, R20-25).
import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ENGINES_ONCE, flagsOf } from './dataplane/engines-under-test.ts'
import { makeCertificate } from './fakes/certificates.ts'
import { listening } from './fakes/listening.ts'
import { RawUpstream } from './fakes/upstream.ts'
import { RamjetProcess } from './process/ramjet-process.ts'

const HOST = 'shop.example'
const PAIR = makeCertificate([HOST])
const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
/** What curl ends with when a handshake fails. */
const HANDSHAKE_FAILED = 35

interface CurlResult {
  readonly code: number
  readonly output: string
}

function curl(args: readonly string[]): Promise<CurlResult> {
  return new Promise((resolve) => {
    execFile('curl', ['--silent', '--show-error', '--max-time', '10', ...args], (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === 'number' ? error.code : 0, output: stdout + stderr })
    })
  })
}

describe('HTTPS of the whole program', function () {
  this.timeout(60_000)
  let dir = ''
  let upstream: RawUpstream
  let ramjet: RamjetProcess | undefined

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-https-'))
    upstream = await RawUpstream.start()
    upstream.answer(OK)
    await writeFile(join(dir, 'cert.pem'), PAIR.cert)
    await writeFile(join(dir, 'key.pem'), PAIR.key)
  })

  afterEach(async () => {
    await ramjet?.kill()
    upstream.stop()
    await rm(dir, { recursive: true })
  })

  /** Starts it with these flags on a file with one route, and a certificate where `tls` says so. */
  async function run(flags: readonly string[], tls = true): Promise<void> {
    const file = await writeRoutes(tls)
    ramjet = new RamjetProcess(['--static-routes', file, '--workers', '1', ...flags])
  }

  async function writeRoutes(tls: boolean): Promise<string> {
    const file = join(dir, 'routes.yaml')
    const routes = {
      backends: [{ name: 'shop', endpoints: [upstream.address] }],
      routes: [{ path: '/', backend: 'shop' }],
      ...(tls && { tls: [{ cert: 'cert.pem', key: 'key.pem' }] }),
    }
    await writeFile(file, JSON.stringify(routes))
    return file
  }

  /** What the banner says of the listeners. */
  async function banner(): Promise<Readonly<Record<'http' | 'https' | 'probes', unknown>>> {
    const { http, https, probes } = (await ramjet?.logged('ramjet')) ?? {}
    return { http, https, probes }
  }

  function ask(port: string, ...more: readonly string[]): Promise<CurlResult> {
    const place = ['--resolve', `${HOST}:${port}:127.0.0.1`, '--cacert', join(dir, 'cert.pem')]
    return curl([...place, ...more, `https://${HOST}:${port}/path`])
  }

  for (const served of ENGINES_ONCE) {
    it(`serves a client that verifies its certificate, and tells the upstream how it came, with ${served.title}`, async () => {
      const listeners = ['--http', '127.0.0.1:0', '--https', '127.0.0.1:0', '--admin', '127.0.0.1:0']
      await run([...listeners, '--public-https-port', '443', ...flagsOf(served)])
      const { https, probes } = await banner()
      for (const version of ['1.2', '1.3']) {
        expect(await ask(portOf(https), '--http1.1', `--tlsv${version}`, '--tls-max', version)).to.deep.equal({
          code: 0,
          output: 'ok',
        })
      }
      expect(upstream.text).to.include('GET /path HTTP/1.1\r\n')
      expect(upstream.text).to.include('X-Forwarded-Proto: https\r\n').and.to.include('X-Forwarded-Port: 443\r\n')
      const metrics = await (await fetch(`${String(probes).split('/healthz')[0]}/metrics`)).text()
      expect(metrics).to.match(/^ramjet_tls_handshakes_total 2$/m)
      expect(metrics).to.match(/^ramjet_tls_contexts_built_total 1$/m)
    })
  }

  it('is bound without a certificate where it was asked for, and refuses every name (R20-20, R21-9)', async () => {
    await run(['--http', '127.0.0.1:0', '--https', '127.0.0.1:0', '--no-admin'], false)
    const { https } = await banner()
    expect(portOf(https)).to.match(/^\d+$/)
    expect((await ask(portOf(https))).code).to.equal(HANDSHAKE_FAILED)
  })

  it('says that it is not bound when the first certificate comes into the file later (R20-20)', async () => {
    await run(['--http', '127.0.0.1:0', '--no-admin'], false)
    expect((await banner()).https).to.equal('disabled (no certificate in the file)')
    await writeRoutes(true)
    ramjet?.signal('SIGHUP')
    const warned = await ramjet?.logged(
      'the file has certificates now and nothing listens for TLS; restart, or give --https from the start',
    )
    expect(warned?.['level']).to.equal('warn')
  })

  it('is not bound with --no-https, and the plaintext one not with --no-http (R20-14)', async () => {
    await run(['--http', '127.0.0.1:0', '--no-https', '--no-admin'])
    expect((await banner()).https).to.equal('disabled (--no-https)')
    await ramjet?.kill()
    await run(['--no-http', '--https', '127.0.0.1:0', '--no-admin'])
    const { http, https } = await banner()
    expect(http).to.equal('disabled (--no-http)')
    expect((await ask(portOf(https), '--http1.1')).output).to.equal('ok')
  })

  it('R20-25: tells of every listener that cannot be bound, and ends with 1', async () => {
    const holders: Server[] = [createServer(), createServer()]
    const ports = await Promise.all(holders.map(listening))
    await run(['--http', `127.0.0.1:${ports[0]}`, '--https', `127.0.0.1:${ports[1]}`, '--no-admin'])
    expect(await ramjet?.ended).to.equal(1)
    for (const port of ports) expect(ramjet?.stderr).to.include(`cannot bind 127.0.0.1:${port}: port ${port} is in use`)
    for (const holder of holders) holder.close()
  })
})

function portOf(listeners: unknown): string {
  return String(listeners).split(':').at(-1) ?? ''
}
