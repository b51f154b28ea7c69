// `npm run cluster -- CMD...`: runs one command beside a fresh API server and takes everything down again.
// The command finds KUBECONFIG (an administrator of that cluster alone) and kubectl first in PATH.
import { delimiter } from 'node:path'
import { buildPrograms, enterNamespace, run } from './cluster/enter.ts'
import { kubectlEnvironment } from './cluster/kubeconfig.ts'
import { type Cluster, startCluster } from './cluster/start.ts'
import { runScript } from './unavailable.ts'

/** Environment of a command that talks to `cluster` as its administrator. */
export function clusterEnvironment({ bin, work }: Cluster): NodeJS.ProcessEnv {
  return { ...process.env, ...kubectlEnvironment(work), PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}` }
}

async function inside([file = '', ...args]: readonly string[]): Promise<number> {
  const cluster = await startCluster()
  console.error(`kube-apiserver is ready at ${cluster.url} after ${Math.round(cluster.startedInMs)} ms`)
  try {
    return await run(file, { args, env: clusterEnvironment(cluster) })
  } finally {
    await cluster.stop()
  }
}

async function main(): Promise<void> {
  const [first, ...rest] = process.argv.slice(2)
  if (first === undefined) {
    console.error('usage: npm run cluster -- COMMAND...')
    process.exitCode = 64
  } else if (first === '--inside') {
    process.exitCode = await inside(rest)
  } else {
    await buildPrograms()
    process.exitCode = await enterNamespace(import.meta.filename, { args: ['--inside', first, ...rest] })
  }
}

if (import.meta.main) await runScript(main)
