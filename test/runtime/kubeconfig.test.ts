import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect } from 'chai'
import { ClusterAccessError } from '../../src/runtime/api-errors.ts'
import type { ClusterAccess } from '../../src/runtime/cluster-access.ts'
import { type AccessOptions, loadClusterAccess } from '../../src/runtime/kubeconfig.ts'
import { FakeClock } from '../fakes/clock.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { rejection } from '../fakes/rejection.ts'

const POD = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' }

describe('loadClusterAccess', () => {
  let folder: string
  let clock: FakeClock
  let log: FakeLogger

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'ramjet-test-'))
    clock = new FakeClock()
    log = new FakeLogger()
    write('token', 'first\n')
    write('ca.crt', 'CA ONE')
  })

  afterEach(() => rmSync(folder, { recursive: true }))

  function write(name: string, text: string): string {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  }

  function load(options: Partial<AccessOptions>): Promise<ClusterAccess> {
    return loadClusterAccess({ env: {}, ...options }, { clock, log, tokenReadMs: 60_000 })
  }

  function loadInPod(env: NodeJS.ProcessEnv = POD): Promise<ClusterAccess> {
    return load({ serviceAccountDir: folder, env })
  }

  function kubeconfig(name: string, user: string, cluster = 'server: https://192.0.2.1:6443'): string {
    return write(
      name,
      `{apiVersion: v1, kind: Config, current-context: ${name},
        clusters: [{name: ${name}, cluster: {${cluster}}}],
        users: [{name: ${name}, user: ${user}}],
        contexts: [{name: ${name}, context: {cluster: ${name}, user: ${name}}}]}`,
    )
  }

  describe('with the account of a pod', () => {
    it('takes address, token and CA from environment and files', async () => {
      const access = await loadInPod()
      expect(access.server.href).to.equal('https://10.96.0.1/')
      expect(access.source).to.include(folder)
      const { headers, tls } = await access.credentials()
      expect(headers).to.deep.equal({ authorization: 'Bearer first' })
      expect(tls).to.include({ ca: 'CA ONE', verify: true })
    })

    it('writes an IPv6 address in brackets', async () => {
      const access = await loadInPod({ KUBERNETES_SERVICE_HOST: '2001:db8::1', KUBERNETES_SERVICE_PORT: '6443' })
      expect(access.server.href).to.equal('https://[2001:db8::1]:6443/')
    })

    it('lets --kube-apiserver replace the address', async () => {
      const kubeApiserver = 'https://192.0.2.7:6443'
      const access = await load({ serviceAccountDir: folder, kubeApiserver, env: POD })
      expect(access.server.href).to.equal('https://192.0.2.7:6443/')
    })

    it('reads the token again after a minute, and not before (R50-6)', async () => {
      const access = await loadInPod()
      write('token', 'second')
      clock.advance(59_999)
      expect((await access.credentials()).headers).to.include({ authorization: 'Bearer first' })
      clock.advance(1)
      expect((await access.credentials()).headers).to.include({ authorization: 'Bearer second' })
    })

    it('reads the token again at once when the server refused it', async () => {
      const access = await loadInPod()
      write('token', 'second')
      access.expire()
      expect((await access.credentials()).headers).to.include({ authorization: 'Bearer second' })
    })

    it('gives the same TLS material until the CA changes (R70-106)', async () => {
      const access = await loadInPod()
      const { tls } = await access.credentials()
      access.expire()
      expect((await access.credentials()).tls).to.equal(tls)
      write('ca.crt', 'CA TWO')
      access.expire()
      const changed = (await access.credentials()).tls
      expect(changed).to.include({ ca: 'CA TWO' })
    })

    it('keeps what it read before when a file is gone, and says so', async () => {
      const access = await loadInPod()
      rmSync(join(folder, 'token'))
      access.expire()
      expect((await access.credentials()).headers).to.include({ authorization: 'Bearer first' })
      expect(log.of('warn')).to.have.length(1)
    })

    it('sends no token over plain HTTP', async () => {
      const access = await load({ serviceAccountDir: folder, kubeApiserver: 'http://127.0.0.1:8001' })
      expect((await access.credentials()).headers).to.deep.equal({})
    })

    it('refuses an empty or missing token', async () => {
      write('token', '\n')
      expect(await rejection(loadInPod())).to.be.instanceOf(ClusterAccessError)
      rmSync(join(folder, 'token'))
      expect((await rejection(loadInPod())).message).to.include('token')
    })

    it('says what to give where there is no address', async () => {
      expect((await rejection(loadInPod({}))).message).to.include('--kube-apiserver')
    })
  })

  describe('with a kubeconfig', () => {
    it('takes server, CA and client certificate of the current context', async () => {
      const ca = Buffer.from('CA').toString('base64')
      const user = `{client-certificate-data: ${Buffer.from('CERT').toString('base64')}, client-key-data: ${Buffer.from('KEY').toString('base64')}}`
      const file = kubeconfig('one', user, `server: "https://192.0.2.1:6443", certificate-authority-data: ${ca}`)
      const access = await load({ kubeconfig: file })
      expect(access.server.href).to.equal('https://192.0.2.1:6443/')
      expect(access.source).to.equal(`context one of ${file}`)
      const { tls, headers } = await access.credentials()
      expect(tls).to.deep.equal({ ca: 'CA', cert: 'CERT', key: 'KEY', servername: undefined, verify: true })
      expect(headers).to.deep.equal({})
      expect((await access.credentials()).tls).to.equal(tls)
    })

    it('sends the token or the password of the user', async () => {
      const bearer = await load({ kubeconfig: kubeconfig('one', '{token: abc}') })
      expect((await bearer.credentials()).headers).to.deep.equal({ authorization: 'Bearer abc' })
      const basic = await load({ kubeconfig: kubeconfig('two', '{username: u, password: p}') })
      expect((await basic.credentials()).headers).to.deep.equal({ authorization: 'Basic dTpw' })
    })

    it('runs exec plugins', async () => {
      const answer = {
        apiVersion: 'client.authentication.k8s.io/v1',
        kind: 'ExecCredential',
        status: { token: 'made' },
      }
      const script = `console.log(${JSON.stringify(JSON.stringify(answer))})`
      const exec = { apiVersion: answer.apiVersion, command: process.execPath, args: ['-e', script] }
      const access = await load({ kubeconfig: kubeconfig('one', JSON.stringify({ exec })) })
      expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer made' })
    })

    it('reads the file again when the server refused what it said', async () => {
      const file = kubeconfig('one', '{token: abc}')
      const access = await load({ kubeconfig: file })
      kubeconfig('one', '{token: def}')
      expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer abc' })
      access.expire()
      expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer def' })
    })

    it('takes the context that is named, from all files of KUBECONFIG', async () => {
      const files = [kubeconfig('one', '{token: a}'), kubeconfig('two', '{token: b}', 'server: "https://192.0.2.2"')]
      const env = { KUBECONFIG: files.join(':') }
      expect((await load({ env })).server.hostname).to.equal('192.0.2.1')
      const access = await load({ env, context: 'two' })
      expect(access.server.hostname).to.equal('192.0.2.2')
      expect((await access.credentials()).headers).to.deep.equal({ authorization: 'Bearer b' })
    })

    it('prefers --kubeconfig to KUBECONFIG and to the pod', async () => {
      const env = { ...POD, KUBECONFIG: '/does/not/exist' }
      const access = await load({ env, kubeconfig: kubeconfig('one', '{token: a}') })
      expect(access.server.hostname).to.equal('192.0.2.1')
    })

    it('names the contexts that there are where the one asked for is not', async () => {
      const error = await rejection(load({ kubeconfig: kubeconfig('one', '{}'), context: 'tow' }))
      expect(error).to.be.instanceOf(ClusterAccessError)
      expect(error.message).to.equal('the kubeconfig has no context tow, only: one')
    })

    it('refuses a file that it cannot read, and a proxy-url, by name', async () => {
      expect((await rejection(load({ kubeconfig: '/does/not/exist' }))).message).to.include('/does/not/exist')
      expect((await rejection(load({ kubeconfig: write('bad', '{') }))).message).to.include(join(folder, 'bad'))
      const proxied = kubeconfig('one', '{}', 'server: "https://192.0.2.1", proxy-url: "http://192.0.2.9"')
      expect((await rejection(load({ kubeconfig: proxied }))).message).to.include('proxy-url')
    })

    it('says on one line, and without a line of the file, where it is no YAML', async () => {
      const file = write('broken', 'users:\n- name: a\n  user:\n    token: hush\n   bad: [\n')
      const error = await rejection(load({ kubeconfig: file }))
      expect(error.message).to.match(/^the kubeconfig .+broken cannot be read: [^\n]+ \(5:4\)$/)
      expect(inspect(error, { depth: 5, showHidden: true })).to.not.include('hush')
    })

    it('says so where it holds no context at all', async () => {
      const error = await rejection(load({ kubeconfig: write('bare', 'kind: Config') }))
      expect(error.message).to.equal('the kubeconfig has no contexts')
    })

    it('refuses a server that is not reached over HTTP', async () => {
      const file = kubeconfig('one', '{token: t}', 'server: ftp://192.0.2.1')
      const error = await rejection(load({ kubeconfig: file }))
      expect(error.message).to.equal('context one of the kubeconfig names no cluster with an http or https URL')
    })

    it('refuses a --kube-apiserver that is no URL', async () => {
      const error = await rejection(load({ kubeconfig: kubeconfig('one', '{}'), kubeApiserver: '192.0.2.1:6443' }))
      expect(error.message).to.equal('--kube-apiserver wants an http or https URL, not 192.0.2.1:6443')
    })
  })

  // R80-12, R85-30
  describe('in a process of its own', () => {
    it('does not load client-node with the account of a pod', () => {
      expect(loadedClientNode(`serviceAccountDir: ${JSON.stringify(folder)}`)).to.equal(false)
    })

    it('loads it with a kubeconfig', () => {
      const text = `{clusters: [{name: a, cluster: {server: "https://192.0.2.1"}}], users: [{name: a, user: {}}],
        contexts: [{name: a, context: {cluster: a, user: a}}], current-context: a}`
      expect(loadedClientNode(`kubeconfig: ${JSON.stringify(write('config', text))}`)).to.equal(true)
    })
  })
})

/** Whether a process that reads its access so has loaded client-node. */
function loadedClientNode(options: string): boolean {
  const script = `
    import { registerHooks } from 'node:module'
    let loaded = false
    registerHooks({ load(url, context, next) {
      loaded ||= url.includes('@kubernetes/client-node')
      return next(url, context)
    } })
    const { loadClusterAccess } = await import('./src/runtime/kubeconfig.ts')
    const log = { warn() {} }
    const clock = { monotonicMs: () => 0, wallMs: () => 0 }
    const access = await loadClusterAccess({ env: ${JSON.stringify(POD)}, ${options} }, { clock, log, tokenReadMs: 1 })
    await access.credentials()
    process.stdout.write(String(loaded))`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
    encoding: 'utf8',
  })
  expect(stdout, stderr).to.match(/^(true|false)$/)
  return stdout === 'true'
}
