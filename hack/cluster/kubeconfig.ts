import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientName } from './certificates.ts'

/**
 * What kubectl needs to be an administrator of the cluster whose folder is `work`. It keeps what a server can do under
 * the server's address, and an earlier cluster may have had the same one: that stays in the folder as well.
 */
export function kubectlEnvironment(work: string): { readonly KUBECONFIG: string; readonly KUBECACHEDIR: string } {
  return { KUBECONFIG: join(work, 'admin.kubeconfig'), KUBECACHEDIR: join(work, 'kubectl-cache') }
}

/** A kubeconfig that needs no other file: one cluster, one user, one context, and that one current. JSON is YAML. */
export function kubeconfig(url: string, certificates: string, client: ClientName): string {
  const inline = (name: string): string => readFileSync(join(certificates, name)).toString('base64')
  const cluster = { server: url, 'certificate-authority-data': inline('server-ca.crt') }
  const user = {
    'client-certificate-data': inline(`${client}.crt`),
    'client-key-data': inline(`${client}.key`),
  }
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [{ name: 'test', cluster }],
    users: [{ name: client, user }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: client } }],
  }
  return `${JSON.stringify(config, null, 2)}\n`
}
