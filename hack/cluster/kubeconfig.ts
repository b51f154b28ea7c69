import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ClientName } from './certificates.ts'

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
