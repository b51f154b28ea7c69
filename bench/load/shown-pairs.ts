// Certificates that follow each other in one Secret, told apart by what a client is shown.
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { KubeObject } from '../../hack/cluster/kube-client.ts'
import { makeKeyPair } from '../contenders/front.ts'
import { newFolder } from '../contenders/start.ts'

/** A certificate for `shop.example` with its key. */
export interface ShownPair {
  readonly fingerprint: string
  /** As a Secret holds them. */
  readonly data: { readonly 'tls.crt': string; readonly 'tls.key': string }
}

export function makeShownPair(): ShownPair {
  const { cert, key } = makeKeyPair(newFolder())
  const [certificate, privateKey] = [readFileSync(cert), readFileSync(key)]
  const { fingerprint256: fingerprint } = new X509Certificate(certificate)
  return { fingerprint, data: { 'tls.crt': certificate.toString('base64'), 'tls.key': privateKey.toString('base64') } }
}

/** The Secret that holds one of them. */
export function secretOf(namespace: string, name: string, { data }: ShownPair): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'kubernetes.io/tls', data }
}
