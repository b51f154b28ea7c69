// The product as a child process, run as a pod would be: the account that config/ installs, an address of its own.
import { join } from 'node:path'
import { expect } from 'chai'
import { Child } from '../../../hack/cluster/child.ts'
import { RAMJET_ACCOUNT, type ServiceAccountRef, writeIdentity } from '../../../hack/cluster/identity.ts'
import type { Cluster } from '../../../hack/cluster/start.ts'
import type { Tunables } from '../../../src/controllers/tunables.ts'
import { nextReplicaAddress } from './addresses.ts'
import { type Answer, type AskOptions, ask, isFrom, type Target } from './ask.ts'
import { eventually } from './eventually.ts'
import { Traffic } from './traffic.ts'

const MAIN = join(import.meta.dirname, '..', '..', '..', 'src', 'main.ts')
const TUNED_MAIN = join(import.meta.dirname, 'tuned-main.ts')
/** A machine that is busy with something else takes several times as long as a quiet one. */
const READY_MS = 60_000
const STOP_MS = 45_000
/**
 * One worker takes up what is new a moment before another one, and a connection is one worker's: after the first answer
 * that is right, so many others must be.
 */
const ALIKE = 8
export const HTTP_PORT = 8080
export const HTTPS_PORT = 8443
export const ADMIN_PORT = 10254

export interface RamjetOptions {
  readonly workers?: number
  /** Flag `--shutdown-delay`; `0s` where nothing is said, since no test looks at it but its own. */
  readonly shutdownDelay?: string
  /** More flags, after those that give the process its place. */
  readonly flags?: readonly string[]
  readonly account?: ServiceAccountRef
  /** Environment over that of a pod in this cluster. */
  readonly env?: Readonly<Record<string, string>>
  /** Intervals that no flag reaches, over their defaults. */
  readonly tunables?: Partial<Tunables>
  /** The folder with token and CA; that of `account` where nothing is said. */
  readonly identity?: string
}

/** One row of `GET /admin/warnings`. */
export interface AdminWarning {
  readonly reason: string
  readonly object: { readonly kind: string; readonly namespace?: string | null; readonly name: string }
  readonly field: string
  readonly message: string
}

/** One row of `GET /admin/routes`. */
export interface AdminRoute {
  readonly host: string
  readonly path: string
  readonly path_type: string
  readonly backend: string
  readonly endpoints: number
}

/** One worker of `GET /readyz?verbose`. */
export interface AdminWorker {
  readonly worker: number
  readonly state: string
  readonly generation: number
}

/** A running process; starts without waiting for it to be ready. */
export class Ramjet {
  readonly address: string
  readonly process: Child
  readonly #traffic: Traffic[] = []

  static async spawn(cluster: Cluster, options: RamjetOptions = {}): Promise<Ramjet> {
    const identity = options.identity ?? (await writeIdentity(cluster, options.account ?? RAMJET_ACCOUNT))
    return new Ramjet(cluster, identity, options)
  }

  /** Spawns one and waits until it says that it is ready. */
  static async start(cluster: Cluster, options: RamjetOptions = {}): Promise<Ramjet> {
    const ramjet = await Ramjet.spawn(cluster, options)
    try {
      await ramjet.ready()
      return ramjet
    } catch (error) {
      await ramjet.stop()
      throw error
    }
  }

  private constructor(cluster: Cluster, identity: string, options: RamjetOptions) {
    const { workers = 2, flags = [], env, shutdownDelay = '0s', tunables } = options
    this.address = nextReplicaAddress()
    const name = `ramjet-${this.address.replaceAll('.', '-')}`
    const ports = { '--http': HTTP_PORT, '--https': HTTPS_PORT, '--admin': ADMIN_PORT }
    const place = Object.entries(ports).flatMap(([flag, port]) => [flag, `${this.address}:${port}`])
    const main = tunables === undefined ? MAIN : TUNED_MAIN
    const tuned = tunables === undefined ? {} : { TEST_TUNABLES: JSON.stringify(tunables) }
    const args = [main, '--service-account-dir', identity, ...place, '--workers', String(workers)]
    const pod = { POD_NAME: name, POD_NAMESPACE: RAMJET_ACCOUNT.namespace, POD_IP: this.address }
    this.process = new Child(name, process.execPath, {
      args: [...args, '--shutdown-delay', shutdownDelay, ...flags],
      log: join(cluster.work, 'logs', `${name}.log`),
      env: { PATH: process.env['PATH'], ...cluster.podEnvironment, ...pod, ...tuned, ...env },
    })
  }

  async ready(): Promise<void> {
    await this.process.untilReady(async () => (await this.readiness()).status === 200, READY_MS)
  }

  /** What `/readyz` answers; status 0 while nobody listens there yet. */
  async readiness(): Promise<{ readonly status: number; readonly body: string }> {
    return this.#ask('/readyz').catch(() => ({ status: 0, body: '' }))
  }

  /** The workers as `/readyz?verbose` lists them. */
  async workers(): Promise<readonly AdminWorker[]> {
    return ((await this.admin('/readyz?verbose')) as { workers: readonly AdminWorker[] }).workers
  }

  /** The JSON that a path of the admin API answers with 200. */
  async admin(path: string): Promise<unknown> {
    const { status, body } = await this.#ask(path)
    expect(status, `${path}: ${body}`).to.equal(200)
    return JSON.parse(body)
  }

  /** The current warnings about objects of one namespace. */
  async warnings(namespace: string): Promise<readonly AdminWarning[]> {
    const document = await this.admin(`/admin/warnings?namespace=${namespace}`)
    return (document as { warnings: readonly AdminWarning[] }).warnings
  }

  async routes(host: string): Promise<readonly AdminRoute[]> {
    const { routes } = (await this.admin(`/admin/routes?host=${host}`)) as { routes: readonly AdminRoute[] }
    return routes
  }

  /** Number of the generation, and version of the endpoints, that the workers serve. */
  async serving(): Promise<{ readonly generation: number; readonly endpointsVersion: number }> {
    return (await this.admin('/admin/routes?limit=1')) as { generation: number; endpointsVersion: number }
  }

  /** One number of `/metrics`, by the name and labels that its line begins with; `undefined`: it has no such line. */
  async metric(series: string): Promise<number | undefined> {
    const { body } = await this.#ask('/metrics')
    const line = body.split('\n').find((text) => text.startsWith(`${series} `))
    return line === undefined ? undefined : Number(line.slice(series.length + 1))
  }

  /** Asks on a connection of its own. `url` is taken apart by hand, so its path goes out as it is written. */
  async get(url: string, options: AskOptions = {}): Promise<Answer> {
    return ask(this.target(url), options)
  }

  /** Asks until every worker answers from `want`: a Service, a pod, or a status. */
  async serves(url: string, want: string, withinMs?: number): Promise<Answer> {
    const once = async (): Promise<Answer> => {
      const answer = await this.get(url)
      if (!isFrom(answer, want)) throw new Error(`${url}: ${answer.from} and not ${want}`)
      return answer
    }
    return eventually(async () => {
      const answer = await once()
      await Promise.all(Array.from({ length: ALIKE }, once))
      return answer
    }, withinMs)
  }

  /** Begins to ask `url` all the time, and resolves when all answers come from `right`; see `Traffic`. */
  async traffic(url: string, right: string): Promise<Traffic> {
    const traffic = await Traffic.begin(this.target(url), right)
    this.#traffic.push(traffic)
    return traffic
  }

  target(url: string): Target {
    const [, host = '', path = ''] = /^http:\/\/([^/]*)(.*)$/s.exec(url) ?? []
    return { address: this.address, port: HTTP_PORT, host, path: path || '/' }
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | string> {
    const end = await this.process.stop(STOP_MS)
    // A test that failed has left its clients asking, and would keep the whole run from ending.
    await Promise.all(this.#traffic.splice(0).map((traffic) => traffic.stop()))
    return end
  }

  async #ask(path: string): Promise<Answer> {
    return ask({ address: this.address, port: ADMIN_PORT, host: this.address, path })
  }
}
