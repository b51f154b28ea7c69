// Starts etcd and kube-apiserver on free ports of the namespace that this process runs in.
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { requirePrograms } from '../kube/programs.ts'
import { Unavailable } from '../unavailable.ts'
import { type ClientName, certificateFolder } from './certificates.ts'
import { Child } from './child.ts'
import { KubeClient } from './kube-client.ts'
import { kubeconfig } from './kubeconfig.ts'

const READY_MS = 30_000
const ETCD_MS = 10_000
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
    const port = await startApiServer({ bin, work, certificates, etcd }, running)
    const url = `https://127.0.0.1:${port}`
    const admin = new KubeClient(url, certificates, 'admin')
    await running.at(-1)?.untilReady(() => admin.ready(), READY_MS)
    return {
      work,
      bin,
      url,
      certificates,
      admin,
      podEnvironment: { KUBERNETES_SERVICE_HOST: SERVICE_ADDRESS, KUBERNETES_SERVICE_PORT: String(port) },
      kubeconfig: writeKubeconfigs(work, url, certificates),
      auditLog: auditLog(work),
      startedInMs: performance.now() - started,
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

async function startEtcd(bin: string, work: string, running: Child[]): Promise<string> {
  const client = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const urls = [`--listen-client-urls=${client}`, `--advertise-client-urls=${client}`, `--listen-peer-urls=${peer}`]
  const data = [`--data-dir=${join(work, 'etcd')}`, '--unsafe-no-fsync=true']
  const etcd = new Child('etcd', join(bin, 'etcd'), { args: [...urls, ...data], log: join(work, 'logs', 'etcd.log') })
  running.push(etcd)
  await etcd.untilReady(() => answers(`${client}/health`), ETCD_MS)
  return client
}

interface ApiServerInput {
  readonly bin: string
  readonly work: string
  readonly certificates: string
  readonly etcd: string
}

async function startApiServer(input: ApiServerInput, running: Child[]): Promise<number> {
  const { bin, work } = input
  const port = await freePort()
  const args = apiServerArguments(input, port)
  const log = join(work, 'logs', 'kube-apiserver.log')
  running.push(new Child('kube-apiserver', join(bin, 'kube-apiserver'), { args, log }))
  return port
}

function apiServerArguments({ work, certificates, etcd }: ApiServerInput, port: number): string[] {
  const pem = (name: string): string => join(certificates, name)
  return [
    `--etcd-servers=${etcd}`,
    `--cert-dir=${join(work, 'pki')}`,
    `--tls-cert-file=${pem('server.crt')}`,
    `--tls-private-key-file=${pem('server.key')}`,
    `--client-ca-file=${pem('client-ca.crt')}`,
    '--bind-address=0.0.0.0',
    `--secure-port=${port}`,
    // There is no default route to find an address by, and loopback is refused.
    '--advertise-address=10.244.0.1',
    '--service-cluster-ip-range=10.96.0.0/16',
    '--allow-privileged=true',
    '--authorization-mode=RBAC',
    '--service-account-issuer=https://kubernetes.default.svc',
    `--service-account-key-file=${pem('service-account.key')}`,
    `--service-account-signing-key-file=${pem('service-account.key')}`,
    // No controller makes the default accounts that this plugin waits for.
    '--disable-admission-plugins=ServiceAccount',
    `--audit-policy-file=${writeAuditPolicy(work)}`,
    `--audit-log-path=${auditLog(work)}`,
    '--audit-log-mode=blocking',
    '--profiling=false',
    '--v=1',
  ]
}

/** Every answer to a ServiceAccount is written down, so that a test can look for one that was refused. */
function writeAuditPolicy(work: string): string {
  const file = join(work, 'audit-policy.json')
  const serviceAccounts = { level: 'Metadata', userGroups: ['system:serviceaccounts'] }
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    rules: [serviceAccounts, { level: 'None' }],
  }
  writeFileSync(file, JSON.stringify(policy))
  return file
}

function auditLog(work: string): string {
  return join(work, 'logs', 'audit.log')
}

function writeKubeconfigs(work: string, url: string, certificates: string): string {
  for (const client of CLIENTS) {
    const file = join(work, `${client}.kubeconfig`)
    writeFileSync(file, kubeconfig(url, certificates, client))
    chmodSync(file, 0o600)
  }
  return join(work, 'admin.kubeconfig')
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )
}

/** A port that nobody has; the namespace is our own, so it stays free until we take it. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}
