import { once } from 'node:events'
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { type ProcessOptions, RamjetProcess } from './process/ramjet-process.ts'

interface Running {
  readonly ramjet: RamjetProcess
  readonly http: string
  readonly admin: string
}

function routes(port: number, path = '/'): string {
  return `backends:\n  - {name: web, endpoints: ["127.0.0.1:${port}"]}\nroutes:\n  - {host: a.example, path: ${path}, backend: web}\n`
}

/** In one step: a file that is written while it is read may be seen without its content. */
async function replaceFile(file: string, content: string): Promise<void> {
  await writeFile(`${file}.new`, content)
  await rename(`${file}.new`, file)
}

function ask(http: string, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const [host = '', port = ''] = http.split(':')
    const socket = connect(Number(port), host, () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n`)
    })
    let text = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk: string) => {
      text += chunk
    })
    socket.on('end', () => resolve(text))
    socket.on('error', reject)
  })
}

/** What asking ends with: the answer, or the name of the error. */
function outcomeOf(http: string): Promise<string> {
  return ask(http, '/x').catch((error: NodeJS.ErrnoException) => error.code ?? error.message)
}

describe('main', function () {
  this.timeout(60_000)
  let dir = ''
  let file = ''
  let upstream: Server
  let upstreamPort = 0
  /** Answers that the upstream holds back, one for each request of /slow. */
  let held: (() => void)[] = []
  const running: RamjetProcess[] = []

  before(async () => {
    upstream = createServer((request, response) => {
      const answer = () => response.end(`upstream saw ${request.url}`)
      if (request.url === '/slow') held.push(answer)
      else answer()
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    upstreamPort = (upstream.address() as AddressInfo).port
  })

  after(() => {
    upstream.close()
    upstream.closeAllConnections()
  })

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-main-'))
    file = join(dir, 'routes.yaml')
    held = []
    await writeFile(file, routes(upstreamPort))
  })

  afterEach(async () => {
    for (const ramjet of running.splice(0)) await ramjet.kill()
    await rm(dir, { recursive: true })
  })

  function spawned(args: readonly string[], options: ProcessOptions = {}): RamjetProcess {
    const ramjet = new RamjetProcess(args, options)
    running.push(ramjet)
    return ramjet
  }

  async function serving(extra: readonly string[] = [], options: ProcessOptions = {}): Promise<Running> {
    const places = ['--http', '127.0.0.1:0', '--admin', '127.0.0.1:0']
    const args = ['--static-routes', file, ...places, '--workers', '2', '--shutdown-delay', '0', ...extra]
    const ramjet = spawned(args, options)
    const banner = await ramjet.logged('ramjet')
    const [http = ''] = banner['http'] as string[]
    return {
      ramjet,
      http,
      admin: String(banner['admin']).replace('/admin/routes /admin/warnings /admin/certificates', ''),
    }
  }

  it('serves a file of routes from the first record on, and says what it is (R20-24)', async () => {
    const { ramjet, http, admin } = await serving()
    expect(ramjet.lines()[0]).to.deep.include({
      level: 'info',
      message: 'ramjet',
      mode: 'static',
      engine: 'wire',
      workers: 2,
      file,
      backends: 1,
      endpoints: 1,
      routes: 1,
      certificates: 0,
      defaultBackend: false,
      https: 'disabled (no certificate in the file)',
      http3: 'disabled (not in this build)',
    })
    expect(http).not.to.match(/:0$/)
    expect(await ask(http, '/x?y')).to.match(/^HTTP\/1\.1 200 OK\r\n[\s\S]*upstream saw \/x\?y$/)
    expect((await fetch(`${admin}/readyz`)).status).to.equal(200)
    expect(await (await fetch(`${admin}/admin/routes`)).json()).to.have.nested.include({
      generation: 1,
      'routes[0].host': 'a.example',
      'routes[0].requests_total': 1,
      'routes[0].endpoints': 1,
    })
    expect(await (await fetch(`${admin}/metrics`)).text()).to.match(/^ramjet_requests_total 1$/m)
  })

  it('writes the banner for people with --log-format pretty', async () => {
    const ramjet = spawned([
      '--static-routes',
      file,
      '--http',
      '127.0.0.1:0',
      '--no-admin',
      '--log-format',
      'pretty',
      '--workers',
      '1',
    ])
    await new Promise<void>((resolve) => {
      const look = () => (ramjet.stderr.includes('published') ? resolve() : setImmediate(look))
      look()
    })
    expect(ramjet.stderr.split('\n')[0]).to.match(
      /^ramjet \d+\.\d+\.\d+ \(node \d+\.\d+\.\d+\): static, engine wire, transport handle, 1 worker$/,
    )
    expect(ramjet.stderr).to.match(/^ {2}http {7}127\.0\.0\.1:[1-9]\d*$/m)
    expect(ramjet.stderr).to.match(/^ {2}https {6}disabled \(no certificate in the file\)$/m)
    expect(ramjet.stderr).to.match(/^ {2}admin {6}disabled \(--no-admin\)$/m)
  })

  it('serves a changed file by itself, and at once on SIGHUP (R20-176)', async () => {
    const { ramjet, http } = await serving()
    await replaceFile(file, routes(upstreamPort, '/later'))
    ramjet.signal('SIGHUP')
    await ramjet.logged('routes file changed')
    let answer = ''
    while (!answer.startsWith('HTTP/1.1 404')) answer = await ask(http, '/now')
    expect(await ask(http, '/later')).to.include('upstream saw /later')
  })

  it('keeps the last good file when a change is wrong, and says where (R20-176)', async () => {
    const { ramjet, http } = await serving()
    await replaceFile(file, 'routes:\n  - {path: 1, backend: web}\n')
    const told = await ramjet.logged('routes file refused; the last good one serves on')
    expect(told).to.include({ level: 'error', fault: `${file}:2: routes[0].path: must be a text; put 1 in quotes` })
    expect(await ask(http, '/x')).to.include('upstream saw /x')
  })

  it('lets a request in flight end on SIGTERM, takes no new connection, and ends with 0 (R20-167)', async () => {
    const { ramjet, http, admin } = await serving()
    const slow = ask(http, '/slow')
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    ramjet.signal('SIGTERM')
    await ramjet.logged('shutting down')
    while ((await fetch(`${admin}/readyz`)).status !== 503) await new Promise((resolve) => setImmediate(resolve))
    while ((await outcomeOf(http)) !== 'ECONNREFUSED') await new Promise((resolve) => setImmediate(resolve))
    for (const answer of held) answer()
    expect(await slow).to.match(/upstream saw \/slow$/)
    expect(await ramjet.ended).to.equal(0)
  })

  it('ends at once on a second signal (R20-170)', async () => {
    const { ramjet, http } = await serving()
    const slow = ask(http, '/slow').catch((error: NodeJS.ErrnoException) => error.code)
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    ramjet.signal('SIGTERM')
    await ramjet.logged('shutting down')
    ramjet.signal('SIGINT')
    expect(await ramjet.ended).to.equal(130)
    await slow
  })

  it('cuts what is left when the grace ends, says how much, and ends with 0 (R20-169)', async () => {
    const { ramjet, http } = await serving(['--shutdown-grace', '50ms'])
    const slow = ask(http, '/slow').catch((error: NodeJS.ErrnoException) => error.code)
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    ramjet.signal('SIGTERM')
    expect(await ramjet.ended).to.equal(0)
    expect(await ramjet.logged('shutdown grace period expired')).to.include({ requests: 1, tunnels: 0 })
    await slow
  })

  it('reads variables, and warns of those it does not know', async () => {
    const env = { RAMJET_UNDERSCORE_HEADERS: 'keep', RAMJET_WROKERS: '3' }
    const { ramjet } = await serving([], { env })
    expect(await ramjet.logged('environment')).to.include({
      level: 'warn',
      warning: 'RAMJET_WROKERS: unknown variable',
    })
    expect(ramjet.lines().findIndex(({ message }) => message === 'environment')).to.be.above(0)
  })

  it('logs a fault that nobody caught, drains, and ends with 1 (R70-126)', async () => {
    const planted = 'process.on("SIGUSR2", () => { throw new Error("planted") })'
    const { ramjet, http } = await serving([], { nodeArgs: ['--import', `data:text/javascript,${planted}`] })
    const slow = ask(http, '/slow')
    while (held.length === 0) await new Promise((resolve) => setImmediate(resolve))
    ramjet.signal('SIGUSR2')
    expect(await ramjet.logged('a fault that nobody caught')).to.have.nested.property('err.message', 'planted')
    await ramjet.logged('shutting down')
    for (const answer of held) answer()
    expect(await slow).to.match(/upstream saw \/slow$/)
    expect(await ramjet.ended).to.equal(1)
  })

  it('runs with the words for Node that the image has (R70-136)', async () => {
    const { http } = await serving([], { nodeArgs: ['--disable-proto=throw', '--disable-sigusr1'] })
    expect(await ask(http, '/x')).to.include('upstream saw /x')
  })
})

describe('main refuses to start', function () {
  this.timeout(60_000)
  const running: RamjetProcess[] = []

  afterEach(async () => {
    for (const ramjet of running.splice(0)) await ramjet.kill()
  })

  function spawned(args: readonly string[], options: ProcessOptions = {}): RamjetProcess {
    const ramjet = new RamjetProcess(args, options)
    running.push(ramjet)
    return ramjet
  }

  it('with all faults of its flags at once, exit code 1 (R33-7)', async () => {
    const ramjet = spawned(['--workers', '0', '--http3'])
    expect(await ramjet.ended).to.equal(1)
    expect(ramjet.stderr).to.equal(
      'ramjet: --http3: not in this build\nramjet: --workers: "0" is not allowed: integer, 1 to 256\n',
    )
  })

  it('with a file that is wrong, by file, line and field (R20-176)', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ramjet-main-'))
    const file = join(dir, 'routes.yaml')
    await writeFile(file, 'routes:\n  - {host: "a b", path: /, backend: web}\n')
    const ramjet = spawned(['--static-routes', file, '--http', '127.0.0.1:0', '--no-admin'])
    expect(await ramjet.ended).to.equal(1)
    await rm(dir, { recursive: true })
    expect(ramjet.stderr).to.equal(`ramjet: ${file}:2: routes[0].backend: no backend of this file is named web\n`)
  })

  it('with every listener that cannot be bound (R20-25)', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'ramjet-main-'))
    const file = join(dir, 'routes.yaml')
    await writeFile(file, '{}\n')
    const taken = [createTcpServer(), createTcpServer()]
    for (const server of taken) await once(server.listen(0, '127.0.0.1'), 'listening')
    const [http, admin] = taken.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`)
    const ramjet = spawned(['--static-routes', file, '--http', http ?? '', '--admin', admin ?? '', '--workers', '1'])
    const code = await ramjet.ended
    for (const server of taken) server.close()
    await rm(dir, { recursive: true })
    expect(code).to.equal(1)
    expect(ramjet.stderr.split('\n')).to.have.length(3)
    expect(ramjet.stderr).to.match(new RegExp(`^ramjet: cannot bind ${http}: port \\d+ is in use`, 'm'))
    expect(ramjet.stderr).to.match(new RegExp(`^ramjet: cannot bind ${admin}: port \\d+ is in use`, 'm'))
  })

  it('without a cluster to watch, naming what to give', async () => {
    const ramjet = spawned(['--http', '127.0.0.1:0', '--no-admin'], { env: { HOME: '/nonexistent' } })
    expect(await ramjet.ended).to.equal(1)
    expect(ramjet.stderr).to.match(/^ramjet: .*--kubeconfig/)
  })
})

describe('main in cluster mode', function () {
  this.timeout(60_000)
  // Tells when the Kubernetes client is asked for: it costs a second and 77 MB, and a pod has no use for it (R80-12).
  const watching = `import { registerHooks } from 'node:module'
    registerHooks({ resolve(name, context, next) {
      if (name === '@kubernetes/client-node') process.stderr.write('client-node was loaded\\n')
      return next(name, context)
    } })`
  const nodeArgs = ['--import', `data:text/javascript,${encodeURIComponent(watching)}`]
  const places = ['--http', '127.0.0.1:0', '--no-admin', '--workers', '1', '--shutdown-delay', '0']
  let dir = ''

  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'ramjet-main-'))
  })

  afterEach(() => rm(dir, { recursive: true }))

  async function startedAndEnded(args: readonly string[]): Promise<RamjetProcess> {
    const ramjet = new RamjetProcess([...places, ...args], { nodeArgs })
    expect(await ramjet.logged('ramjet')).to.include({ mode: 'cluster', ingressClass: 'ramjet', namespaces: 'all' })
    ramjet.signal('SIGTERM')
    expect(await ramjet.ended).to.equal(0)
    return ramjet
  }

  it('does without the Kubernetes client with the account of a pod, also where the API server is down', async () => {
    await writeFile(join(dir, 'token'), 'secret-token')
    await writeFile(join(dir, 'ca.crt'), '')
    await writeFile(join(dir, 'namespace'), 'ramjet-system')
    const ramjet = await startedAndEnded(['--service-account-dir', dir, '--kube-apiserver', 'http://127.0.0.1:1'])
    expect(ramjet.stderr).not.to.include('client-node was loaded')
    expect(ramjet.stderr).not.to.include('secret-token')
  })

  it('reads a kubeconfig with it', async () => {
    const kubeconfig = join(dir, 'kubeconfig')
    await writeFile(
      kubeconfig,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [{ name: 'c', cluster: { server: 'http://127.0.0.1:1' } }],
        users: [{ name: 'u', user: {} }],
        contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
        'current-context': 'x',
      }),
    )
    const ramjet = await startedAndEnded(['--kubeconfig', kubeconfig])
    expect(ramjet.stderr).to.include('client-node was loaded')
  })
})

describe('main prints', () => {
  for (const [words, wanted] of [
    [['--help'], /^Usage: ramjet/],
    [['--version'], /^ramjet \d+\.\d+\.\d+ \(node \d+\.\d+\.\d+\)\n$/],
  ] as const) {
    it(`${words.join(' ')} on stdout, exit code 0`, async () => {
      const ramjet = new RamjetProcess([...words, '--bogus'])
      expect(await ramjet.ended).to.equal(0)
      expect(ramjet.stdout).to.match(wanted)
      expect(ramjet.stderr).to.equal('')
    })
  }
})
