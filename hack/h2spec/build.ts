// Builds h2spec once for this machine, outside any namespace, since it needs the network. Does nothing where it is built.
import { spawnSync } from 'node:child_process'
import { renameSync } from 'node:fs'
import { findGo, goEnvironment, installGo } from '../kube/go.ts'
import { runScript, Unavailable } from '../unavailable.ts'
import { builtFile, findH2spec, MODULE } from './program.ts'

const PACKAGE = 'github.com/summerwind/h2spec/cmd/h2spec'
const FLAGS = ['-trimpath', '-buildvcs=false', '-ldflags', '-s -w']

/** Builds beside the final file and moves it there whole: an interrupted build leaves no half one to be found. */
function build(): void {
  const go = findGo() ?? installGo()
  const target = builtFile(go)
  const file = `${target}-${process.pid}`
  console.log('building h2spec: about half a minute, once')
  const { status } = spawnSync(go.file, ['build', ...FLAGS, '-o', file, PACKAGE], {
    cwd: MODULE,
    env: goEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  if (status !== 0) throw new Unavailable('h2spec could not be built: is there a network?')
  renameSync(file, target)
}

if (import.meta.main) {
  await runScript(() => {
    if (!findH2spec()) build()
  })
}
