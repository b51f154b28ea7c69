// What the image runs: the emitted dist, started by the very words of the Dockerfile's entry point (R80-19, R50-45).
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { chmodSync, cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { temporaryFolder } from './fakes/temporary-folder.ts'

const ROOT = join(import.meta.dirname, '..')
const TIMEOUT_MS = 60_000

interface Banner {
  readonly http: readonly string[]
  readonly probes: string
}

/** Node's own flags of the entry point; the program is the last word, and our copy stands elsewhere. */
function nodeFlags(): readonly string[] {
  const entry = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(ROOT, 'Dockerfile'), 'utf8'))?.[1] ?? '[]'
  const words: readonly string[] = JSON.parse(entry)
  return words.slice(1, -1)
}

/** A folder as the image has it: package.json, node_modules, dist. */
function emit(folder: string): void {
  const args = ['-p', 'tsconfig.json', '--outDir', join(folder, 'dist')]
  const { status, stdout } = spawnSync('tsc', args, { cwd: ROOT, encoding: 'utf8' })
  expect(status, stdout).to.equal(0)
  cpSync(join(ROOT, 'package.json'), join(folder, 'package.json'))
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

/** The commands that an installation has, and the file that each of them runs. */
function commands(): readonly (readonly [name: string, file: string])[] {
  const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: Record<string, string> }
  return Object.entries(bin)
}

/** Resolves with the banner once a generation serves. */
async function untilServing(child: ChildProcess): Promise<Banner> {
  let banner: Banner | undefined
  const said: string[] = []
  if (child.stderr) {
    for await (const line of createInterface({ input: child.stderr })) {
      said.push(line)
      const record: Banner & { readonly message: string } = JSON.parse(line)
      if (record.message === 'ramjet') banner = record
      if (record.message === 'published' && banner) return banner
    }
  }
  throw new Error(`it ended before it served:\n${said.join('\n')}`)
}

async function ask(url: string, host: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers: { host } }, (response) => {
      response.setEncoding('utf8')
      let text = `${response.statusCode} `
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.once('end', () => resolve(text))
    }).once('error', reject)
  })
}

describe('dist', () => {
  const folder = temporaryFolder('dist')
  const upstream = createServer((request, response) => response.end(`asked for ${request.url}`))
  let child: ChildProcess | undefined
  let banner: Banner = { http: [], probes: '' }

  before(async function () {
    this.timeout(TIMEOUT_MS)
    emit(folder)
    const port = await listen(upstream)
    const backend = { name: 'web', endpoints: [{ address: `127.0.0.1:${port}` }] }
    const route = { host: 'shop.example', path: '/', pathType: 'Prefix', backend: 'web' }
    // JSON is YAML.
    writeFileSync(join(folder, 'routes.yaml'), JSON.stringify({ backends: [backend], routes: [route] }))
    const flags = ['--http', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--workers', '2', '--shutdown-delay', '0']
    const args = [...nodeFlags(), 'dist/main.js', '--static-routes', 'routes.yaml', ...flags]
    child = spawn(process.execPath, args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    banner = await untilServing(child)
  })

  after(() => {
    child?.kill('SIGKILL')
    upstream.close()
    upstream.closeAllConnections()
  })

  it('is installed as a plugin of kubectl too (R32-27)', () => {
    expect(commands().map(([name]) => name)).to.include('kubectl-ramjet')
  })

  for (const [name, file] of commands()) {
    it(`runs as ${name}, which npm links (R32-27)`, () => {
      const link = join(folder, name)
      chmodSync(join(folder, file), 0o755)
      symlinkSync(join(folder, file), link)
      const env = { PATH: dirname(process.execPath) }
      const { status, stdout, stderr } = spawnSync(link, ['generations', '--version'], { env, encoding: 'utf8' })
      expect([status, stderr]).to.deep.equal([0, ''])
      expect(stdout).to.match(/^ramjet \S+ \(node \S+\)\n$/)
    })
  }

  it('needs nothing of the program for its commands and its help', () => {
    const bare = join(folder, 'bare')
    cpSync(join(folder, 'dist'), join(bare, 'dist'), { recursive: true })
    cpSync(join(folder, 'package.json'), join(bare, 'package.json'))
    symlinkSync(join(folder, 'node_modules'), join(bare, 'node_modules'))
    rmSync(join(bare, 'dist', 'app.js'))
    for (const words of [['--help'], ['generations', '--help'], ['rollback', '--help']]) {
      const { status, stderr } = spawnSync(process.execPath, [join(bare, 'dist', 'main.js'), ...words], {
        encoding: 'utf8',
      })
      expect([status, stderr]).to.deep.equal([0, ''])
    }
  })

  it('starts its workers and forwards a request', async () => {
    expect(await ask(`http://${banner.http[0]}/cart?a=1`, 'shop.example')).to.equal('200 asked for /cart?a=1')
  })

  it('answers 404 for a host that has no route', async () => {
    expect(await ask(`http://${banner.http[0]}/`, 'other.example')).to.match(/^404 404 Not Found: /)
  })

  it('is ready', async () => {
    const [healthz = ''] = banner.probes.split(' ')
    expect(await ask(healthz.replace('/healthz', '/readyz'), 'localhost')).to.match(/^200 /)
  })

  it('drains and exits with 0 on SIGTERM', async () => {
    const ended = new Promise((resolve) => child?.once('exit', (code, signal) => resolve(code ?? signal)))
    child?.kill('SIGTERM')
    expect(await ended).to.equal(0)
  })
})
