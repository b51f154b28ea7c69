// Finds the API server and our identity: in a pod from mounted files, elsewhere from a kubeconfig (R50-6).
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { messageOf } from '../lib/errors.ts'
import { ClusterAccessError } from './api-errors.ts'
import { type ClusterAccess, type Credentials, keepSame, type TlsMaterial } from './cluster-access.ts'
import {
  SERVICE_ACCOUNT_DIR,
  ServiceAccount,
  type ServiceAccountDeps,
  serverFromEnvironment,
} from './service-account.ts'

export interface AccessOptions {
  /** `--service-account-dir`; given: the account is read there, in a pod or not. */
  readonly serviceAccountDir?: string | undefined
  /** `--kubeconfig`; given: nothing else is looked at. */
  readonly kubeconfig?: string | undefined
  /** `--context`; `undefined`: the current one of the kubeconfig. */
  readonly context?: string | undefined
  /** `--kube-apiserver`: replaces the address that was found. */
  readonly kubeApiserver?: string | undefined
  /** `KUBECONFIG`, `KUBERNETES_SERVICE_HOST` and `_PORT` are read. */
  readonly env: NodeJS.ProcessEnv
}

/**
 * Access to the cluster that the options and the environment name. The order: an explicit kubeconfig, an explicit
 * account directory, `KUBECONFIG`, the account of the pod we run in, the kubeconfig of the home directory.
 *
 * Throws `ClusterAccessError` with what to change where none of them gives an address and an identity.
 */
export async function loadClusterAccess(options: AccessOptions, deps: ServiceAccountDeps): Promise<ClusterAccess> {
  const { env, context, serviceAccountDir } = options
  const override = parseServer(options.kubeApiserver)
  const files = options.kubeconfig ?? (serviceAccountDir === undefined ? env['KUBECONFIG'] : undefined)
  if (files) return openKubeconfig({ files: files.split(delimiter).filter(Boolean), context, override })
  if (serviceAccountDir === undefined && (context !== undefined || !isInPod(env))) {
    return openKubeconfig({ files: [homeKubeconfig()], context, override })
  }
  return openServiceAccount(serviceAccountDir ?? SERVICE_ACCOUNT_DIR, override ?? serverFromEnvironment(env), deps)
}

function isInPod(env: NodeJS.ProcessEnv): boolean {
  return Boolean(env['KUBERNETES_SERVICE_HOST']) && existsSync(join(SERVICE_ACCOUNT_DIR, 'token'))
}

function parseServer(text: string | undefined): URL | undefined {
  if (text === undefined) return undefined
  const url = httpUrl(text)
  if (!url) throw new ClusterAccessError(`--kube-apiserver wants an http or https URL, not ${text}`)
  return url
}

function httpUrl(text: string): URL | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' || url?.protocol === 'http:' ? url : undefined
}

async function openServiceAccount(
  directory: string,
  server: URL | undefined,
  deps: ServiceAccountDeps,
): Promise<ClusterAccess> {
  if (server === undefined) {
    throw new ClusterAccessError('no address of the API server: give --kube-apiserver, or run in a pod')
  }
  const account = new ServiceAccount(server, directory, deps)
  await account.credentials()
  return account
}

function homeKubeconfig(): string {
  const file = join(homedir(), '.kube', 'config')
  if (existsSync(file)) return file
  throw new ClusterAccessError(`no cluster to watch: give --kubeconfig or KUBECONFIG (there is no ${file})`)
}

interface KubeconfigChoice {
  readonly files: readonly string[]
  readonly context: string | undefined
  readonly override: URL | undefined
}

async function openKubeconfig(choice: KubeconfigChoice): Promise<ClusterAccess> {
  const config = await readKubeconfig(choice)
  const { server, context } = serverOf(config)
  const source = `context ${context} of ${choice.files.join(delimiter)}`
  return new KubeconfigAccess(choice.override ?? server, source, { config, read: () => readKubeconfig(choice) })
}

async function readKubeconfig({ files, context }: KubeconfigChoice): Promise<KubeConfig> {
  // It costs about a second and 77 MB, and a pod has no use for it (R80-12).
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  for (const [index, file] of files.entries()) {
    try {
      if (index === 0) config.loadFromFile(file)
      else mergeFile(config, file, new KubeConfig())
    } catch (error) {
      // Its first line and no cause: a YAML parser goes on with an excerpt of the file, which has tokens and keys.
      const [problem] = messageOf(error).split('\n')
      throw new ClusterAccessError(`the kubeconfig ${file} cannot be read: ${problem}`)
    }
  }
  if (context !== undefined) config.setCurrentContext(context)
  return config
}

function mergeFile(config: KubeConfig, file: string, next: KubeConfig): void {
  next.loadFromFile(file)
  config.mergeConfig(next, true)
}

function serverOf(config: KubeConfig): { readonly server: URL; readonly context: string } {
  const context = config.getCurrentContext()
  if (!config.getContextObject(context)) {
    const known = config.getContexts().map(({ name }) => name)
    if (known.length === 0) throw new ClusterAccessError('the kubeconfig has no contexts')
    throw new ClusterAccessError(
      `the kubeconfig has no context ${context || '(none is current)'}, only: ${known.join(', ')}`,
    )
  }
  const cluster = config.getCurrentCluster()
  const server = cluster && httpUrl(cluster.server)
  if (!server) {
    throw new ClusterAccessError(`context ${context} of the kubeconfig names no cluster with an http or https URL`)
  }
  if (cluster.proxyUrl) {
    throw new ClusterAccessError(`cluster ${cluster.name} of the kubeconfig has a proxy-url: not in this build`)
  }
  return { server, context }
}

interface KubeconfigReader {
  readonly config: KubeConfig
  readonly read: () => Promise<KubeConfig>
}

/** What client-node fills in; its own type is that of node's https requests, which is far wider. */
interface AppliedOptions {
  ca?: unknown
  cert?: unknown
  key?: unknown
  servername?: string
  rejectUnauthorized?: boolean
  auth?: string
  headers?: Record<string, unknown>
}

class KubeconfigAccess implements ClusterAccess {
  readonly server: URL
  readonly source: string
  readonly #read: () => Promise<KubeConfig>
  #config: KubeConfig | undefined
  #tls: TlsMaterial | undefined

  constructor(server: URL, source: string, { config, read }: KubeconfigReader) {
    this.server = server
    this.source = source
    this.#config = config
    this.#read = read
  }

  // Exec plugins and token files are cached by client-node for as long as they say that they hold.
  async credentials(): Promise<Credentials> {
    const config = this.#config ?? (await this.#read())
    this.#config = config
    const applied: AppliedOptions = {}
    await config.applyToHTTPSOptions(applied)
    this.#tls = keepSame(this.#tls, tlsOf(applied))
    return { headers: headersOf(applied), tls: this.#tls }
  }

  expire(): void {
    this.#config = undefined
  }
}

function tlsOf(applied: AppliedOptions): TlsMaterial {
  return {
    ca: pemOf(applied.ca),
    cert: pemOf(applied.cert),
    key: pemOf(applied.key),
    servername: applied.servername,
    verify: applied.rejectUnauthorized !== false,
  }
}

function pemOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return Buffer.isBuffer(value) ? value.toString('utf8') : undefined
}

function headersOf({ headers, auth }: AppliedOptions): Record<string, string> {
  const found: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers ?? {})) found[name.toLowerCase()] = String(value)
  if (auth !== undefined) found['authorization'] = `Basic ${Buffer.from(auth).toString('base64')}`
  return found
}
