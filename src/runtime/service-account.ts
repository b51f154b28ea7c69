// The identity of a pod: files that the kubelet mounts and replaces while we run (R50-6, R70-106).
import { readFile } from 'node:fs/promises'
import { isIPv6 } from 'node:net'
import { join } from 'node:path'
import type { Clock } from '../lib/clock.ts'
import { messageOf } from '../lib/errors.ts'
import type { Logger } from '../observability/log.ts'
import { ClusterAccessError } from './api-errors.ts'
import { type ClusterAccess, type Credentials, keepSame, type TlsMaterial } from './cluster-access.ts'

/** Where the kubelet mounts the account of a pod. */
export const SERVICE_ACCOUNT_DIR = '/var/run/secrets/kubernetes.io/serviceaccount'

export interface ServiceAccountDeps {
  readonly clock: Clock
  readonly log: Logger
  /** How long what was read is used before the files are read again. */
  readonly tokenReadMs: number
}

/** Token and CA from the files of `directory`, read again each `tokenReadMs` and after a 401. */
export class ServiceAccount implements ClusterAccess {
  readonly server: URL
  readonly source: string
  readonly #directory: string
  readonly #deps: ServiceAccountDeps
  #current: Credentials | undefined
  #readAtMs = Number.NEGATIVE_INFINITY
  #reading: Promise<Credentials> | undefined

  constructor(server: URL, directory: string, deps: ServiceAccountDeps) {
    this.server = server
    this.source = `service account in ${directory}`
    this.#directory = directory
    this.#deps = deps
  }

  credentials(): Promise<Credentials> {
    const { clock, tokenReadMs } = this.#deps
    const fresh = clock.monotonicMs() - this.#readAtMs < tokenReadMs
    if (fresh && this.#current) return Promise.resolve(this.#current)
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  expire(): void {
    this.#readAtMs = Number.NEGATIVE_INFINITY
  }

  async #read(): Promise<Credentials> {
    try {
      this.#current = await this.#readFiles()
    } catch (error) {
      // The kubelet swaps these files; a moment without them must not cost an identity that still works.
      if (this.#current === undefined) throw error
      this.#deps.log.warn({ err: error }, 'service account not read again, keeping what was read before')
    }
    this.#readAtMs = this.#deps.clock.monotonicMs()
    return this.#current
  }

  async #readFiles(): Promise<Credentials> {
    // Without TLS the other side is a local `kubectl proxy`, which adds an identity of its own: no token in clear text.
    if (this.server.protocol === 'http:') return { headers: {}, tls: this.#tls(undefined) }
    const [token, ca] = await Promise.all([this.#readText('token'), this.#readText('ca.crt')])
    return { headers: { authorization: `Bearer ${token}` }, tls: this.#tls(ca) }
  }

  #tls(ca: string | undefined): TlsMaterial {
    const next = { ca, cert: undefined, key: undefined, servername: undefined, verify: true }
    return keepSame(this.#current?.tls, next)
  }

  async #readText(name: string): Promise<string> {
    const file = join(this.#directory, name)
    const text = await readFile(file, 'utf8').catch((cause: unknown) => {
      throw new ClusterAccessError(`the service account has no readable ${file}: ${messageOf(cause)}`, { cause })
    })
    if (text.trim() === '') throw new ClusterAccessError(`the service account's ${file} is empty`)
    return text.trim()
  }
}

/** The API server's address as Kubernetes tells it to every container; `undefined` outside one. */
export function serverFromEnvironment(env: NodeJS.ProcessEnv): URL | undefined {
  const host = env['KUBERNETES_SERVICE_HOST']
  if (!host) return undefined
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '443'
  const text = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`
  if (!URL.canParse(text)) throw new ClusterAccessError(`KUBERNETES_SERVICE_HOST and _PORT give no address: ${text}`)
  return new URL(text)
}

/** The namespace of the account in `directory`; `undefined`: there is no such file. */
export async function accountNamespace(directory: string): Promise<string | undefined> {
  const text = await readFile(join(directory, 'namespace'), 'utf8').catch(() => '')
  return text.trim() || undefined
}
