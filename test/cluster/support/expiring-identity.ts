// A token that ends within seconds. The API server issues none below ten minutes, so a real one is signed anew with
// another end, by the key that the server verifies with: the refusal that follows is the server's own.
import { createSign } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs'
import { get } from 'node:https'
import { join } from 'node:path'
import { replaceToken, writeIdentity } from '../../../hack/cluster/identity.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'

/** The server goes on taking a token so long after its end, since clocks differ (go-jose's leeway). */
const LEEWAY_SECONDS = 60

export interface ExpiringIdentity {
  readonly folder: string
  /** The `authorization` field that the token makes. */
  readonly authorization: string
  /** Whether the API server refuses the token by now. It remembers for 10 s that it took one. */
  isRefused(): Promise<boolean>
  /** Puts a token that lasts into the folder, as the kubelet does. */
  renew(): void
}

export async function expiringIdentity(cluster: Cluster, lifeSeconds: number): Promise<ExpiringIdentity> {
  const lasting = await writeIdentity(cluster)
  const real = readFileSync(join(lasting, 'token'), 'utf8')
  const folder = mkdtempSync(join(cluster.work, 'expiring-'))
  const token = withEnd(real, Math.floor(Date.now() / 1000) - LEEWAY_SECONDS + lifeSeconds, cluster)
  for (const name of ['ca.crt', 'namespace']) copyFileSync(join(lasting, name), join(folder, name))
  replaceToken(folder, token)
  const authorization = `Bearer ${token}`
  const ca = readFileSync(join(folder, 'ca.crt'))
  return {
    folder,
    authorization,
    isRefused: async () => (await statusOf(cluster.url, { ca, headers: { authorization }, agent: false })) === 401,
    renew: () => replaceToken(folder, real),
  }
}

function withEnd(token: string, seconds: number, { certificates }: Cluster): string {
  const [head = '', body = ''] = token.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Readonly<Record<string, unknown>>
  const past = seconds - 600
  const ending = Buffer.from(JSON.stringify({ ...claims, iat: past, nbf: past, exp: seconds })).toString('base64url')
  const signer = createSign('RSA-SHA256').update(`${head}.${ending}`)
  return `${head}.${ending}.${signer.sign(readFileSync(join(certificates, 'service-account.key')), 'base64url')}`
}

function statusOf(url: string, options: object): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = get(`${url}/version`, options, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    request.once('error', reject)
  })
}
