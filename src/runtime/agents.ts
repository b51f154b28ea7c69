import type { Dispatcher } from 'undici'
import { Agent } from 'undici'
import type { TlsMaterial } from './cluster-access.ts'

/** Connections for calls, and others for watches, so that neither can starve the other (R50-7). */
export interface Agents {
  readonly calls: Dispatcher
  readonly watches: Dispatcher
}

const MAX_CALL_CONNECTIONS = 8
const CONNECT_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 30_000
/** A page of 500 objects is far below; what is above is no answer of an API server. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024

interface Built extends Agents {
  readonly tls: TlsMaterial
  readonly all: readonly Agent[]
}

/** Keeps one pair of agents for as long as the TLS material stays the same (R85-31, R70-106). */
export class AgentCache {
  #built: Built | undefined
  /** Agents of earlier material whose last answers are still coming. */
  readonly #leaving = new Set<Agent>()

  for(tls: TlsMaterial): Agents {
    if (this.#built?.tls === tls) return this.#built
    if (this.#built) for (const agent of this.#built.all) this.#letGo(agent)
    this.#built = build(tls)
    return this.#built
  }

  /** Cuts every connection. */
  async destroy(): Promise<void> {
    const all = [...(this.#built?.all ?? []), ...this.#leaving]
    this.#built = undefined
    await Promise.all(all.map((agent) => agent.destroy()))
  }

  #letGo(agent: Agent): void {
    this.#leaving.add(agent)
    const left = (): boolean => this.#leaving.delete(agent)
    void agent.close().then(left, left)
  }
}

function build(tls: TlsMaterial): Built {
  // Time limits are the client's own: undici's timers would count besides them.
  const common: Agent.Options = {
    allowH2: false,
    pipelining: 1,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: connectOptions(tls),
  }
  const calls = new Agent({ ...common, connections: MAX_CALL_CONNECTIONS, maxResponseSize: MAX_ANSWER_BYTES })
  const watches = new Agent(common)
  return { tls, calls, watches, all: [calls, watches] }
}

function connectOptions(tls: TlsMaterial): NonNullable<Agent.Options['connect']> {
  return {
    timeout: CONNECT_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_MS,
    rejectUnauthorized: tls.verify,
    ...(tls.ca === undefined ? {} : { ca: tls.ca }),
    ...(tls.cert === undefined ? {} : { cert: tls.cert }),
    ...(tls.key === undefined ? {} : { key: tls.key }),
    ...(tls.servername === undefined ? {} : { servername: tls.servername }),
  }
}
