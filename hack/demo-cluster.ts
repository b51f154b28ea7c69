// `npm run demo:cluster`: an API server, config/ installed, two Services with echo pods, and Ramjet in the foreground
// with the ServiceAccount that config/ made. Ctrl-C ends all of it. `npm run demo:shell` is the terminal beside it.
import { spawnSync } from 'node:child_process'
import { appendFileSync, chmodSync, copyFileSync, existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startEchoPod } from './cluster/echo-server.ts'
import { buildPrograms, enterNamespace, run } from './cluster/enter.ts'
import { writeIdentity } from './cluster/identity.ts'
import { installRamjet } from './cluster/install.ts'
import { endpointSlice, service } from './cluster/objects.ts'
import { type Cluster, startCluster } from './cluster/start.ts'
import { DEMO_PID_FILE, demoProcess } from './demo-place.ts'
import { runScript, Unavailable } from './unavailable.ts'

const MAIN = join(import.meta.dirname, '..', 'src', 'main.ts')
const NAMESPACE = 'default'
const POD_ADDRESS = '10.244.1.1'
const HOSTS = ['cafe.example', 'anything.example']
const PODS = [
  { service: 'coffee', name: 'coffee-1', address: '10.244.2.1' },
  { service: 'coffee', name: 'coffee-2', address: '10.244.2.2' },
  { service: 'tea', name: 'tea-1', address: '10.244.2.3' },
] as const
const READY_EVERY_MS = 100

async function startServices({ admin }: Cluster): Promise<void> {
  for (const pod of PODS) await startEchoPod(pod)
  for (const name of new Set(PODS.map((pod) => pod.service))) {
    const pods = PODS.filter((pod) => pod.service === name).map(({ address }) => ({ address }))
    await admin.apply(service(NAMESPACE, name))
    await admin.apply(endpointSlice(NAMESPACE, name, pods))
  }
}

/** The samples' hosts, for programs inside this namespace only: its /etc/hosts is a copy that ends with it. */
function nameHosts({ work }: Cluster): void {
  const file = join(work, 'hosts')
  if (existsSync('/etc/hosts')) copyFileSync('/etc/hosts', file)
  appendFileSync(file, `\n127.0.0.1 ${HOSTS.join(' ')}\n`)
  const { status } = spawnSync('mount', ['--bind', file, '/etc/hosts'])
  if (status !== 0) console.log(`names are not set here: add -H 'Host: ${HOSTS[0]}' and ask 127.0.0.1`)
}

/** `ramjet` for the demo shell. */
function linkRamjet({ bin }: Cluster): void {
  const file = join(bin, 'ramjet')
  writeFileSync(file, `#!/bin/sh\nexec '${process.execPath}' '${MAIN}' "$@"\n`)
  chmodSync(file, 0o755)
}

async function runRamjet(cluster: Cluster): Promise<number> {
  const identity = ['--service-account-dir', await writeIdentity(cluster)]
  const listeners = ['--http', ':80', '--https', ':443', '--admin', ':10254']
  const manners = ['--workers', '2', '--shutdown-delay', '0s', '--log-format', 'pretty']
  const pod = { POD_NAME: 'ramjet-demo', POD_NAMESPACE: 'ramjet-system', POD_IP: POD_ADDRESS }
  const env = { ...process.env, ...cluster.podEnvironment, ...pod }
  return run(process.execPath, { args: [MAIN, ...identity, ...listeners, ...manners], env })
}

/** Says that all is up, once it is. Polls, because readiness is something that is asked for. */
async function announce(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ready = await fetch('http://127.0.0.1:10254/readyz', { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) return console.log('ready. In a second terminal: npm run demo:shell')
    await sleep(READY_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

async function inside(): Promise<number> {
  const cluster = await startCluster()
  const running = new AbortController()
  try {
    console.log(`kube-apiserver is ready after ${Math.round(cluster.startedInMs)} ms; installing config/`)
    await installRamjet(cluster)
    await startServices(cluster)
    nameHosts(cluster)
    linkRamjet(cluster)
    const announced = announce(running.signal)
    const code = await runRamjet(cluster)
    running.abort()
    await announced
    return code
  } finally {
    await cluster.stop()
  }
}

async function main(): Promise<void> {
  if (process.argv[2] === '--inside') {
    // The echo pods have listeners of their own, which would keep this process here.
    process.exit(await inside())
  }
  if (demoProcess() !== undefined) throw new Unavailable('a demo cluster runs already: npm run demo:shell enters it')
  await buildPrograms()
  const env = { ...process.env, NAMESPACE_PID_FILE: DEMO_PID_FILE }
  try {
    process.exitCode = await enterNamespace(import.meta.filename, { args: ['--inside'], env })
  } finally {
    rmSync(DEMO_PID_FILE, { force: true })
  }
}

if (import.meta.main) await runScript(main)
