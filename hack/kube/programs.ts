// Where the programs of the test cluster are, once they have been built (build.ts).
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'
import { Unavailable } from '../unavailable.ts'
import { findGo, type Go } from './go.ts'

/** The names that the one program answers to, each a link to it. */
export const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kubectl'] as const

const MODULE = import.meta.dirname
const SOURCES = ['go.mod', 'go.sum', 'main.go']
// What KUBEBUILDER_ASSETS holds by its own convention; the controller-manager is not part of it.
const ASSETS = ['etcd', 'kube-apiserver', 'kubectl']

/** The pinned release of Kubernetes, as go.mod has it: `v1.37.2`. */
export function kubernetesVersion(): string {
  const version = /^\s*k8s\.io\/kubernetes (v\S+)/m.exec(readFileSync(join(MODULE, 'go.mod'), 'utf8'))?.[1]
  if (!version) throw new Error('hack/kube/go.mod does not require k8s.io/kubernetes')
  return version
}

/** The folder that a build with `go` fills; another source, pin or Go has another folder. */
export function builtFolder(go: Go): string {
  const hash = createHash('sha256').update(go.version)
  for (const name of SOURCES) hash.update(readFileSync(join(MODULE, name)))
  return join(cacheFolder('kube'), hash.digest('hex').slice(0, 16))
}

/** The folder with `etcd`, `kube-apiserver` and `kubectl` in it, or `undefined` where nothing was built yet. */
export function findPrograms(): string | undefined {
  const assets = fromAssets()
  if (assets) return assets
  const go = findGo()
  const folder = go && join(builtFolder(go), 'bin')
  return folder && existsSync(folder) ? folder : undefined
}

/** As `findPrograms`, but says what to run where there is nothing. */
export function requirePrograms(): string {
  const folder = findPrograms()
  if (!folder) throw new Unavailable('the programs of the test cluster are not built: run node hack/kube/build.ts')
  return folder
}

/** KUBEBUILDER_ASSETS counts when its API server has the minor version that the tests are written for. */
function fromAssets(): string | undefined {
  const folder = process.env['KUBEBUILDER_ASSETS']
  if (!folder || !ASSETS.every((name) => existsSync(join(folder, name)))) return undefined
  const { stdout } = spawnSync(join(folder, 'kube-apiserver'), ['--version'], { encoding: 'utf8' })
  return minor(stdout ?? '') === minor(kubernetesVersion()) ? folder : undefined
}

function minor(text: string): string | undefined {
  return /v\d+\.\d+/.exec(text)?.[0]
}
