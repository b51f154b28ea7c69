// kube-apiserver on a free port of the namespace: the one of every cluster, and others beside it on the same etcd.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Child } from './child.ts'
import { freePort } from './free-port.ts'

/** What every API server of a cluster shares. */
export interface ControlPlane {
  readonly bin: string
  readonly work: string
  readonly certificates: string
  /** The URL of etcd. */
  readonly etcd: string
}

export interface ApiServer {
  readonly url: string
  readonly port: number
  readonly auditLog: string
  readonly process: Child
}

/** Starts one; it is not ready yet. `name` tells its files from those of others; `flags` come last and so win. */
export async function spawnApiServer(
  plane: ControlPlane,
  name: string = 'kube-apiserver',
  flags: readonly string[] = [],
): Promise<ApiServer> {
  const { bin, work } = plane
  const port = await freePort()
  const auditLog = join(work, 'logs', `${name}-audit.log`)
  const args = [...apiServerArguments(plane, name, { port, auditLog }), ...flags]
  const log = join(work, 'logs', `${name}.log`)
  const process = new Child(name, join(bin, 'kube-apiserver'), { args, log })
  return { url: `https://127.0.0.1:${port}`, port, auditLog, process }
}

function apiServerArguments(
  { work, certificates, etcd }: ControlPlane,
  name: string,
  { port, auditLog }: Pick<ApiServer, 'port' | 'auditLog'>,
): string[] {
  const pem = (file: string): string => join(certificates, file)
  return [
    `--etcd-servers=${etcd}`,
    `--cert-dir=${join(work, 'pki', name)}`,
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
    `--audit-log-path=${auditLog}`,
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
