// Starts etcd and kube-apiserver on free ports of the namespace that this process runs in.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { requirePrograms } from '../kube/programs.ts'
import { Unavailable } from '../unavailable.ts'
import { type ApiServer, type ControlPlane, spawnApiServer } from './api-server.ts'
import { type ClientName, certificateFolder } from './certificates.ts'
import type { Child } from './child.ts'
import { backUpEtcd, compactEtcd, startEtcd } from './etcd.ts'
import { KubeClient } from './kube-client.ts'
import { kubeconfig } from './kubeconfig.ts'

/** A machine that is busy with something else takes several times as long as a quiet one. */
const READY_MS = 60_000
/** The first address of the Service range, under which pods find the API server. */
const SERVICE_ADDRESS = '10.96.0.1'
const CLIENTS: readonly ClientName[] = ['admin', 'viewer']

export interface Cluster {
  /** A folder in memory that ends with the namespace: logs, kubeconfigs, identities. */
  readonly work: string
  /** The folder with `kubectl`, to be put first in PATH. */
  readonly bin: string
  /** The API server as a pod reaches it: the variables that a kubelet sets. */
  readonly podEnvironment: Readonly<Record<string, string>>
  readonly url: string
  readonly certificates: string
  /** Kubeconfig of `admin`; that of `viewer`, who may do nothing, stands beside it. */
  readonly kubeconfig: string
  readonly auditLog: string
  readonly admin: KubeClient
  /** Milliseconds from nothing to `/readyz`. */
  readonly startedInMs: number
  /** What etcd and kube-apiserver had computed by then, in milliseconds of a processor. */
  readonly startedWithCpuMs: number
  /**
   * Starts another API server on the same etcd, for what the first one cannot be made to show (R90-36), and waits until
   * `probe` is answered 200; that of a server which is whole where none is given. It ends with the cluster, or with
   * `process.stop()`.
   */
  another(name: string, flags: readonly string[], probe?: string): Promise<ApiServer>
  /**
   * Starts an API server, and an etcd, on a copy of what is there now: what stands in its place later has been put back
   * to this moment (R70-85). The etcd ends with the API server.
   */
  restored(name: string): Promise<ApiServer>
  /** Makes etcd forget every revision but the newest (R90-36). */
  compact(): Promise<void>
  stop(): Promise<void>
}

/** A cluster of this process's own. It must run under hack/namespace.sh; throws `Unavailable` where it does not. */
export async function startCluster(): Promise<Cluster> {
  const work = process.env['CLUSTER_WORK']
  if (!work) throw new Unavailable('a cluster is started inside its namespace: hack/namespace.sh COMMAND...')
  const started = performance.now()
  const bin = linkPrograms(work)
  const certificates = certificateFolder()
  mkdirSync(join(work, 'logs'))
  const running: Child[] = []
  const stop = async (): Promise<void> => {
    for (const child of running.splice(0).toReversed()) await child.stop()
  }
  try {
    const etcd = await startEtcd(bin, work, running)
    const plane = { bin, work, certificates, etcd: etcd.url }
    const first = await spawnApiServer(plane)
    running.push(first.process)
    const { url, port, auditLog } = first
    const admin = new KubeClient(url, certificates, 'admin')
    await first.process.untilReady(() => admin.ready(), READY_MS)
    return {
      work,
      bin,
      url,
      certificates,
      admin,
      podEnvironment: { KUBERNETES_SERVICE_HOST: SERVICE_ADDRESS, KUBERNETES_SERVICE_PORT: String(port) },
      kubeconfig: writeKubeconfigs(work, url, certificates),
      auditLog,
      startedInMs: performance.now() - started,
      startedWithCpuMs: etcd.process.cpuMs + first.process.cpuMs,
      another: async (name, flags, probe) => startBeside(plane, { name, flags, probe }, running),
      restored: async (name) => {
        const copy = `${name}-etcd`
        await backUpEtcd(etcd, join(work, copy))
        const older = await startEtcd(bin, work, running, copy)
        const server = await startBeside({ ...plane, etcd: older.url }, { name, flags: [] }, running)
        const stopEtcd = async (): Promise<unknown> => older.process.stop()
        void server.process.ended.then(stopEtcd, stopEtcd)
        return server
      },
      compact: async () => {
        await compactEtcd(etcd.url)
      },
      stop: async () => {
        await admin.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

/** Links of our own, so that nothing but these programs comes first in PATH with them. */
function linkPrograms(work: string): string {
  const built = requirePrograms()
  const bin = join(work, 'bin')
  mkdirSync(bin)
  for (const name of ['etcd', 'kube-apiserver', 'kubectl']) symlinkSync(join(built, name), join(bin, name))
  return bin
}

function writeKubeconfigs(work: string, url: string, certificates: string): string {
  for (const client of CLIENTS) {
    const file = join(work, `${client}.kubeconfig`)
    writeFileSync(file, kubeconfig(url, certificates, client))
    chmodSync(file, 0o600)
  }
  return join(work, 'admin.kubeconfig')
}

interface Beside {
  readonly name: string
  readonly flags: readonly string[]
  readonly probe?: string | undefined
}

async function startBeside(plane: ControlPlane, { name, flags, probe }: Beside, running: Child[]): Promise<ApiServer> {
  // One server alone keeps the Service `kubernetes`: another one would take its address away when it ends.
  const server = await spawnApiServer(plane, name, ['--endpoint-reconciler-type=none', ...flags])
  running.push(server.process)
  await untilReady(server, plane.certificates, probe)
  return server
}

async function untilReady({ url, process }: ApiServer, certificates: string, probe?: string): Promise<void> {
  const client = new KubeClient(url, certificates, 'admin')
  try {
    await process.untilReady(() => client.ready(probe), READY_MS)
  } finally {
    await client.close()
  }
}
