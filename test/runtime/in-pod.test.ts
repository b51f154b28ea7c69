import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { makeCertificate } from '../fakes/access.ts'
import { FakeApiServer } from '../fakes/api-server.ts'

const PATHS = [
  '/apis/networking.k8s.io/v1/ingresses',
  '/apis/networking.k8s.io/v1/ingressclasses',
  '/api/v1/services',
  '/apis/discovery.k8s.io/v1/endpointslices',
]

/** Runs before the program and says, when it ends, which packages it has loaded. */
const RECORDER = `
  import { registerHooks } from 'node:module'
  import { isMainThread } from 'node:worker_threads'
  const packages = new Set()
  registerHooks({ load(url, context, next) {
    const name = /node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url)?.[1]
    if (name) packages.add(name)
    return next(url, context)
  } })
  if (isMainThread) process.on('exit', () => console.log(JSON.stringify([...packages])))`

// R80-12, R85-30, R50-6
describe('the program in a pod', () => {
  let folder: string
  let server: FakeApiServer
  let child: ChildProcess

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ramjet-test-'))
  })

  afterEach(async () => {
    child.kill('SIGKILL')
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  async function serveApi(): Promise<void> {
    const tls = makeCertificate('api')
    server = new FakeApiServer(tls)
    for (const path of PATHS) server.serve(path)
    await server.start()
    writeFileSync(join(folder, 'ca.crt'), tls.cert)
    writeFileSync(join(folder, 'token'), 'secret-token')
  }

  function run(): ChildProcess {
    const ports = ['--http', '127.0.0.1:0', '--no-https', '--no-admin', '--workers', '1']
    const args = ['src/main.ts', '--service-account-dir', folder, '--shutdown-delay', '0s', '--shutdown-grace', '0s']
    const preload = `data:text/javascript,${encodeURIComponent(RECORDER)}`
    return spawn(process.execPath, ['--import', preload, ...args, ...ports], {
      env: { KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: server.url.port },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  }

  it('watches with the mounted token and CA, and never loads client-node', async () => {
    await serveApi()
    child = run()
    let printed = ''
    let logged = ''
    child.stdout?.on('data', (chunk: Buffer) => {
      printed += chunk.toString('utf8')
    })
    child.stderr?.on('data', (chunk: Buffer) => {
      logged += chunk.toString('utf8')
    })
    const ended = new Promise((resolve) => {
      // Not `exit`: what was printed last may come after that.
      child.on('close', resolve)
    })
    await Promise.race([server.until(() => PATHS.every((path) => server.watching(path) === 1)), ended])
    child.kill('SIGTERM')
    expect(await ended, logged).to.equal(0)
    const packages: unknown = JSON.parse(printed)
    expect(packages).to.include('undici').and.not.include('@kubernetes/client-node')
    const tokens = new Set(server.requests.map(({ headers }) => headers['authorization']))
    expect([...tokens]).to.deep.equal(['Bearer secret-token'])
    expect(logged).to.not.include('secret-token')
  })
})
