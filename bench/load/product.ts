// Ramjet as a pod runs it, with the identity that config/ installs.
import { join } from 'node:path'
import { Child } from '../../hack/cluster/child.ts'
import { freePorts } from '../../hack/cluster/free-port.ts'
import { writeIdentity } from '../../hack/cluster/identity.ts'
import type { Cluster } from '../../hack/cluster/start.ts'

const MAIN = join(import.meta.dirname, '../../src/main.ts')
const WORKERS = 2
const READY_MS = 30_000

export interface Product {
  readonly httpPort: number
  readonly httpsPort: number
  stop(): Promise<void>
}

/** Starts Ramjet with two workers and resolves when it is ready. */
export async function startProduct(cluster: Cluster): Promise<Product> {
  const [httpPort = 0, httpsPort = 0, adminPort = 0] = await freePorts(3)
  const flags = [
    `--service-account-dir=${await writeIdentity(cluster)}`,
    `--http=127.0.0.1:${httpPort}`,
    `--https=127.0.0.1:${httpsPort}`,
    `--admin=127.0.0.1:${adminPort}`,
    `--workers=${WORKERS}`,
    '--shutdown-delay=0',
    '--shutdown-grace=1s',
  ]
  const child = new Child('ramjet', process.execPath, {
    args: [MAIN, ...flags],
    log: join(cluster.work, 'logs', 'ramjet.log'),
    env: { PATH: process.env['PATH'], ...cluster.podEnvironment },
  })
  await child.untilReady(() => isReady(adminPort), READY_MS)
  return {
    httpPort,
    httpsPort,
    stop: async () => {
      await child.stop()
    },
  }
}

async function isReady(port: number): Promise<boolean> {
  return fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
}
