// Which engine and transport a process serves by, and what it says when it cannot have the one that was asked for.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { ENGINES_UNDER_TEST, flagsOf } from './dataplane/engines-under-test.ts'
import { openClient } from './fakes/raw-client.ts'
import { RawUpstream } from './fakes/upstream.ts'
import { type LogLine, type ProcessOptions, RamjetProcess } from './process/ramjet-process.ts'

/** Node's permission model, with what the program needs. */
const PERMISSION: ProcessOptions = { nodeArgs: ['--permission', '--allow-fs-read=*', '--allow-worker', '--allow-net'] }
const FELL_BACK = 'the transport that was asked for cannot be had'

async function ask(banner: LogLine): Promise<string> {
  const [http = ''] = banner['http'] as string[]
  const client = await openClient(Number(http.split(':').at(-1)))
  await client.write('GET / HTTP/1.1\r\nHost: shop.example\r\n\r\n').until('ok')
  client.socket.destroy()
  return client.text
}

describe('engine and transport of a process', function () {
  this.timeout(60_000)
  let dir = ''
  let file = ''
  let upstream: RawUpstream
  let ramjet: RamjetProcess | undefined

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-transport-'))
    file = join(dir, 'routes.yaml')
    upstream = await RawUpstream.start()
    upstream.answer('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    const backends = [{ name: 'shop', endpoints: [upstream.address] }]
    await writeFile(file, JSON.stringify({ backends, routes: [{ host: 'shop.example', path: '/', backend: 'shop' }] }))
  })

  afterEach(async () => await ramjet?.kill())

  after(async () => {
    upstream.stop()
    await rm(dir, { recursive: true })
  })

  function start(flags: readonly string[], options?: ProcessOptions): RamjetProcess {
    const args = ['--static-routes', file, '--http', '127.0.0.1:0', '--no-admin', '--workers', '2', ...flags]
    ramjet = new RamjetProcess(args, options)
    return ramjet
  }

  for (const served of ENGINES_UNDER_TEST) {
    it(`are said and serve: ${served.title} (R20-11, R20-24)`, async () => {
      const process = start(flagsOf(served))
      const banner = await process.logged('ramjet')
      // What is told of a transport that could not be had says why.
      expect(banner, process.stderr).to.include({ engine: served.engine, transport: served.transport ?? 'node' })
      expect(await ask(banner)).to.match(/^HTTP\/1\.1 200 OK\r\n/)
    })
  }

  it('are wire and handle for auto, and nothing is said about it (R20-8)', async () => {
    const banner = await start(['--engine', 'wire', '--transport', 'auto']).logged('ramjet')
    expect(banner).to.include({ engine: 'wire', transport: 'handle' })
    expect(ramjet?.stderr).to.not.match(/cannot be had|every Node has|Warning/)
  })

  it('fall back to public under the permission model, told once at warn (R20-9, R60-25)', async () => {
    const process = start(['--engine', 'wire', '--transport', 'handle'], PERMISSION)
    const banner = await process.logged('ramjet')
    expect(banner).to.include({ transport: 'public' })
    expect(await ask(banner)).to.match(/^HTTP\/1\.1 200 OK\r\n/)
    const told = process.lines().filter(({ message }) => message === FELL_BACK)
    expect(told).to.have.length(1)
    expect(told[0]).to.include({
      level: 'warn',
      requested: 'handle',
      serving: 'public',
      errno: 'ERR_ACCESS_DENIED',
    })
  })

  it('fall back to public from auto, told at info', async () => {
    const process = start(['--engine', 'wire'], PERMISSION)
    expect(await process.logged('ramjet')).to.include({ transport: 'public' })
    const told = process.lines().filter(({ serving }) => serving === 'public')
    expect(told.map(({ level }) => level)).to.deep.equal(['info'])
  })

  it('end the process with --transport-strict, in one line that says what to do (R20-9)', async () => {
    const process = start(['--engine', 'wire', '--transport', 'handle', '--transport-strict'], PERMISSION)
    expect(await process.ended).to.equal(1)
    const lines = process.stderr.split('\n').filter((line) => line.startsWith('ramjet: '))
    expect(lines).to.deep.equal([
      'ramjet: --transport handle cannot be had: ERR_ACCESS_DENIED (the permission model of Node is on); ' +
        'take --transport-strict out to serve by public',
    ])
  })

  it('serve with --transport-strict where the transport works', async () => {
    const banner = await start(['--engine', 'wire', '--transport', 'handle', '--transport-strict']).logged('ramjet')
    expect(banner).to.include({ transport: 'handle' })
  })

  it('warn at the start where anyone may send a PROXY header (R20-161)', async () => {
    const process = start(['--proxy-protocol'])
    await process.logged('ramjet')
    const told = process.lines().filter(({ reason }) => reason === 'ProxyProtocolFromAnyone')
    expect(told.map(({ level, field }) => ({ level, field }))).to.deep.equal([
      { level: 'warn', field: '--proxy-protocol-from' },
    ])
  })

  it('do not warn where somebody is named', async () => {
    const process = start(['--proxy-protocol', '--trusted-proxies', '192.0.2.0/24'])
    await process.logged('ramjet')
    expect(process.stderr).to.not.include('ProxyProtocolFromAnyone')
  })
})
