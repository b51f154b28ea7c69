// The README's second half, as a newcomer runs it: a demo cluster, and a shell beside it.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { requirePrograms } from '../../hack/kube/programs.ts'
import { ROOT } from '../docs/pages.ts'
import { IN_DEMO_CLUSTER } from '../docs/shown-commands.ts'
import { temporaryFolder } from '../fakes/temporary-folder.ts'
import { eventually } from './support/eventually.ts'

const START_MS = 120_000
/** What was applied a moment ago is served, and written about, a moment later: who asks too soon asks again. */
const ASKS = /^(curl|kubectl get) /
/** What the page's openssl writes. */
const MADE = ['/tmp/cafe.pem', '/tmp/cafe-key.pem']

describe('README', () => {
  // A demo that somebody has open on this machine is left alone: this one has a cache folder of its own.
  const cache = temporaryFolder('demo')
  const env: NodeJS.ProcessEnv = { ...process.env, XDG_CACHE_HOME: cache }
  let demo: ChildProcess | undefined

  before('npm run demo:cluster', async function () {
    this.timeout(START_MS)
    env['KUBEBUILDER_ASSETS'] = requirePrograms()
    demo = spawn(process.execPath, ['hack/demo-cluster.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
    await untilSaid(demo, 'npm run demo:shell')
  })

  after('Ctrl-C', async function () {
    this.timeout(START_MS)
    if (demo?.exitCode === null) {
      const ended = new Promise((resolve) => demo?.once('exit', resolve))
      demo.kill('SIGINT')
      await ended
    }
    for (const file of MADE) rmSync(file, { force: true })
  })

  for (const { command, prints } of IN_DEMO_CLUSTER) {
    it(`${command} does in the demo's shell what the page says (R90-25)`, async () => {
      const run = (): void => {
        const args = ['hack/demo-shell.ts', 'sh', '-c', command]
        const { stdout, stderr, status } = spawnSync(process.execPath, args, { cwd: ROOT, env, encoding: 'utf8' })
        expect(stdout, stderr).to.match(prints)
        expect(status).to.equal(0)
      }
      if (ASKS.test(command)) await eventually(run)
      else run()
    })
  }
})

/** Resolves when the program has written `words`; rejects with all it wrote when it ends before. */
async function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let said = ''
  await new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer): void => {
      said += chunk.toString()
      if (said.includes(words)) resolve()
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`it ended with ${code}:\n${said}`)))
  })
}
