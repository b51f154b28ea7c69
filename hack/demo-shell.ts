// `npm run demo:shell`: a shell inside the running demo cluster, with kubectl and ramjet first in PATH.
// `npm run demo:shell -- CMD...` runs one command there instead.
import { delimiter, join } from 'node:path'
import { cacheFolder } from './cache-folder.ts'
import { run } from './cluster/enter.ts'
import { kubectlEnvironment } from './cluster/kubeconfig.ts'
import { demoProcess } from './demo-place.ts'
import { runScript, Unavailable } from './unavailable.ts'

const HINT = `You are inside the demo cluster; try:
  kubectl apply -f config/samples
  kubectl get ingress
  curl http://cafe.example/tea
  curl http://127.0.0.1:10254/admin/routes
`

/** The namespaces to enter; an ordinary user's demo has a user namespace of its own around them. */
function enterArguments(pid: number): readonly string[] {
  const namespaces = ['--target', String(pid), '--net', '--mount', '--pid']
  return process.getuid?.() === 0 ? namespaces : [...namespaces, '--user', '--preserve-credentials']
}

function shellEnvironment(): NodeJS.ProcessEnv {
  const work = cacheFolder('work')
  const path = `${join(work, 'bin')}${delimiter}${process.env['PATH'] ?? ''}`
  return { ...process.env, ...kubectlEnvironment(work), PATH: path, PS1: 'demo \\w $ ' }
}

async function main(): Promise<void> {
  const pid = demoProcess()
  if (pid === undefined) throw new Unavailable('no demo cluster runs: start one with npm run demo:cluster')
  const given = process.argv.slice(2)
  if (given.length === 0 && process.stdin.isTTY) console.log(HINT)
  const command = given.length > 0 ? given : ['bash', '--norc']
  // Entering a mount namespace loses the working directory.
  const back = ['sh', '-c', 'cd "$0" && exec "$@"', process.cwd()]
  const args = [...enterArguments(pid), ...back, ...command]
  process.exitCode = await run('nsenter', { args, env: shellEnvironment() })
}

if (import.meta.main) await runScript(main)
