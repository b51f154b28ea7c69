// Runs the product as a pod would be run: with the token of a ServiceAccount, in the files that a kubelet mounts.
import { randomUUID } from 'node:crypto'
import { copyFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Cluster } from './start.ts'

/** The account that config/ installs. */
export const RAMJET_ACCOUNT = { namespace: 'ramjet-system', name: 'ramjet' } as const

export interface ServiceAccountRef {
  readonly namespace: string
  readonly name: string
}

/** How the API server names a ServiceAccount as a user, in rules and in its audit log. */
export function userOf({ namespace, name }: ServiceAccountRef): string {
  return `system:serviceaccount:${namespace}:${name}`
}

/** Writes `token`, `ca.crt` and `namespace` into a folder of the cluster's, and returns it. */
export async function writeIdentity(cluster: Cluster, account: ServiceAccountRef = RAMJET_ACCOUNT): Promise<string> {
  const folder = join(cluster.work, 'identities', account.namespace, account.name)
  mkdirSync(folder, { recursive: true })
  replaceToken(folder, await requestToken(cluster, account))
  writeFileSync(join(folder, 'namespace'), account.namespace)
  copyFileSync(join(cluster.certificates, 'server-ca.crt'), join(folder, 'ca.crt'))
  return folder
}

/** Puts `token` into a folder whose token others may read: as the kubelet does it, they find the old one or this one. */
export function replaceToken(folder: string, token: string): void {
  const made = join(folder, `token-${randomUUID()}`)
  writeFileSync(made, token, { mode: 0o600 })
  renameSync(made, join(folder, 'token'))
}

async function requestToken({ admin }: Cluster, { namespace, name }: ServiceAccountRef): Promise<string> {
  const body = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600 },
  }
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`
  const answer = (await admin.request('POST', path, { body })) as { status: { token: string } }
  return answer.status.token
}
