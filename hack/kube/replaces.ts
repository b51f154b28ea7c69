// Derives the replace lines of go.mod: k8s.io/kubernetes requires its staging modules at v0.0.0, which exists nowhere,
// and the lines that map them in its own repository do not reach those who import it.
//   node hack/kube/replaces.ts            writes them
//   node hack/kube/replaces.ts --check    fails when they are not what they should be
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { runScript, Unavailable } from '../unavailable.ts'
import { findGo, goEnvironment, installGo } from './go.ts'
import { kubernetesVersion } from './programs.ts'

const MODULE = import.meta.dirname
const GO_MOD = join(MODULE, 'go.mod')

/** The replace block for the staging modules that `upstream`, the go.mod of k8s.io/kubernetes `version`, requires. */
export function replaceBlock(upstream: string, version: string): string {
  const staging = version.replace(/^v1\./, 'v0.')
  const names = [...upstream.matchAll(/^\s*(k8s\.io\/\S+) v0\.0\.0(?:\s|$)/gm)].map(([, name = '']) => name)
  const lines = [...new Set(names)].toSorted().map((name) => `\t${name} => ${name} ${staging}\n`)
  return `replace (\n${lines.join('')})\n`
}

/** `goMod` with its replace block taken out and `block` put at its end. */
export function withReplaces(goMod: string, block: string): string {
  return `${goMod.replace(/\n*replace \([^)]*\)\n*/, '\n').trimEnd()}\n\n${block}`
}

function upstreamGoMod(version: string): string {
  const { file } = findGo() ?? installGo()
  const args = ['mod', 'download', '-json', `k8s.io/kubernetes@${version}`]
  const { status, stdout } = spawnSync(file, args, { cwd: MODULE, encoding: 'utf8', env: goEnvironment() })
  if (status !== 0) throw new Unavailable(`k8s.io/kubernetes ${version} could not be fetched: is there a network?`)
  return readFileSync((JSON.parse(stdout) as { GoMod: string }).GoMod, 'utf8')
}

function main(): void {
  const version = kubernetesVersion()
  const block = replaceBlock(upstreamGoMod(version), version)
  const count = block.split('\n').length - 3
  const now = readFileSync(GO_MOD, 'utf8')
  const wanted = withReplaces(now, block)
  if (count === 0) throw new Error(`k8s.io/kubernetes ${version} names no staging module: has its go.mod changed?`)
  if (now === wanted) console.log(`replaces: ${count} staging modules of ${version}, as they should be`)
  else if (process.argv.includes('--check')) throw new Error('hack/kube/go.mod: run node hack/kube/replaces.ts')
  else {
    writeFileSync(GO_MOD, wanted)
    console.log(`replaces: ${count} staging modules of ${version} written; now run go mod tidy in hack/kube`)
  }
}

if (import.meta.main) await runScript(main)
