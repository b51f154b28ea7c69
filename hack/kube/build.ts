// Builds the programs of the test cluster once for this machine, outside any namespace, since it needs the network.
// Does nothing where they are built already.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { runScript, Unavailable } from '../unavailable.ts'
import { findGo, type Go, goEnvironment, installGo } from './go.ts'
import { builtFolder, findPrograms, kubernetesVersion, PROGRAMS } from './programs.ts'

const MODULE = import.meta.dirname
const TERMINAL_EVERY_MS = 500
const LOG_EVERY_MS = 15_000

function buildFlags(): readonly string[] {
  const version = kubernetesVersion()
  const [major = '', minor = ''] = version.slice(1).split('.')
  // Without this stamp no client can parse what /version answers.
  const stamp = { gitVersion: version, gitMajor: major, gitMinor: minor }
  const sets = Object.entries(stamp).map(([name, value]) => `-X k8s.io/component-base/version.${name}=${value}`)
  // -buildvcs: a checkout that belongs to another user would make git, and so the build, fail.
  return ['-trimpath', '-buildvcs=false', '-ldflags', `-s -w ${sets.join(' ')}`]
}

/** The packages that Go's own cache does not hold, `undefined` where the modules cannot be had. */
function stalePackages(go: Go): readonly string[] | undefined {
  const format = '{{if .Stale}}{{.ImportPath}}{{end}}'
  const args = ['list', '-deps', ...buildFlags(), '-f', format, '.']
  const { status, stdout } = spawnSync(go.file, args, {
    cwd: MODULE,
    env: goEnvironment(),
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  return status === 0 ? stdout.split('\n').filter(Boolean) : undefined
}

/** One line that is rewritten on a terminal; in a log a line every quarter of a minute. */
function progress(total: number): { done(name: string): void; end(): void } {
  const { isTTY } = process.stderr
  let count = 0
  let shownAt = Date.now()
  const started = shownAt
  return {
    done(name) {
      count += 1
      if (Date.now() - shownAt < (isTTY ? TERMINAL_EVERY_MS : LOG_EVERY_MS)) return
      shownAt = Date.now()
      const seconds = Math.round((shownAt - started) / 1000)
      const line = `${count} of ${total} packages, ${seconds} s: ${name}`
      process.stderr.write(isTTY ? `\r\u001b[K${line.slice(0, process.stderr.columns - 1)}` : `${line}\n`)
    },
    end() {
      if (isTTY) process.stderr.write('\r\u001b[K')
    },
  }
}

async function compile(go: Go, output: string, total: number): Promise<void> {
  const args = ['build', '-v', ...buildFlags(), '-o', output, '.']
  const child = spawn(go.file, args, { cwd: MODULE, env: goEnvironment(), stdio: ['ignore', 'inherit', 'pipe'] })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // An interrupted build ends by its child's failure, so that what it had begun is cleared away below.
  const stop = (signal: NodeJS.Signals): boolean => child.kill(signal)
  process.on('SIGINT', stop).on('SIGTERM', stop)
  const shown = progress(total)
  for await (const line of createInterface({ input: child.stderr })) {
    // With -v go names each package as it takes it up; whatever else it says is for a person.
    if (/^[\w.~/-]+$/.test(line)) shown.done(line)
    else console.error(line)
  }
  shown.end()
  const code = await ended
  process.off('SIGINT', stop).off('SIGTERM', stop)
  if (code !== 0) throw new Error(`go build ended with ${code}`)
}

function announce(stale: number): void {
  const cold = stale > 500
  const time = cold ? 'about ten minutes on two cores, more on slower ones' : 'about half a minute'
  console.log(`building etcd, kube-apiserver and kubectl ${kubernetesVersion()} for the test cluster: ${time}, once`)
  if (cold) console.log('until then `npm run test:unit` runs what needs no cluster')
}

/** Builds beside the final folder and moves it there whole, so an interrupted build leaves no half one to be found. */
async function build(go: Go): Promise<void> {
  const target = builtFolder(go)
  console.log(`reading the modules of hack/kube (1 GB is fetched where they are not cached: half a minute or more)`)
  const stale = stalePackages(go)
  if (!stale) throw new Unavailable('the Go modules of the test cluster could not be fetched: is there a network?')
  announce(stale.length)
  mkdirSync(dirname(target), { recursive: true })
  const folder = mkdtempSync(`${target}-`)
  try {
    await compile(go, join(folder, 'kube'), stale.length)
    mkdirSync(join(folder, 'bin'))
    for (const name of PROGRAMS) symlinkSync('../kube', join(folder, 'bin', name))
    // Another build may have finished first; its result is the same.
    if (!existsSync(target)) renameSync(folder, target)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(`built ${join(target, 'kube')}`)
}

if (import.meta.main) {
  await runScript(async () => {
    if (process.platform !== 'linux') throw new Unavailable('the test cluster needs Linux and its network namespaces')
    if (!findPrograms()) await build(findGo() ?? installGo())
  })
}
