// Active checks of all endpoints that ask for them, in one place per process (R20-151).
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { BackendEndpoints } from '../model/endpoint-table.ts'
import type { Tables } from '../model/generation.ts'
import type { Backend } from '../model/route-table.ts'
import type { Logger } from '../observability/log.ts'
import type { CheckEndpoint, EndpointCheck } from './check-endpoint.ts'
import type { CheckChange } from './check-verdicts.ts'
import { CheckedEndpoint, type CheckTurns } from './checked-endpoint.ts'
import { wayOf } from './upstream/way.ts'

export interface HealthCheckerDeps {
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly check: CheckEndpoint
  readonly log: Logger
  /** An endpoint failed, is well again, or is not checked any more after it had failed. */
  readonly onChanges: (changes: readonly CheckChange[]) => void
}

/** A backend whose endpoints are checked. */
interface CheckedBackend {
  readonly backend: Backend
  readonly entry: BackendEndpoints | undefined
  readonly endpoints: ReadonlyMap<string, CheckedEndpoint>
}

/**
 * Checks what the served tables ask for, and nothing that left them. An endpoint that stays keeps its verdict; one that
 * is new is used until it fails.
 */
export class HealthChecker {
  readonly #deps: HealthCheckerDeps
  readonly #turns: CheckTurns
  #backends: ReadonlyMap<string, CheckedBackend> = new Map()
  #isStopped = false

  constructor(deps: HealthCheckerDeps) {
    this.#deps = deps
    this.#turns = { running: 0, waiting: new Set(), nextStart: deps.random() }
  }

  /** Endpoints under check. */
  get size(): number {
    let size = 0
    for (const { endpoints } of this.#backends.values()) size += endpoints.size
    return size
  }

  /** These tables serve from now on. */
  follow({ routes, endpoints }: Tables): void {
    if (this.#isStopped) return
    const before = this.#backends
    const after = new Map<string, CheckedBackend>()
    for (const [name, backend] of routes.backends) {
      if (!backend.healthCheck) continue
      const known = before.get(name)
      const entry = endpoints.byBackend.get(name)
      const isSame = known?.backend === backend && known.entry === entry
      after.set(name, isSame ? known : this.#checkBackend(backend, entry, known))
    }
    this.#backends = after
    for (const [name, { endpoints: left }] of before) {
      const kept = after.get(name)?.endpoints
      const gone = [...left.values()].filter((endpoint) => kept?.get(endpoint.address) !== endpoint)
      this.#leave(name, gone)
    }
  }

  /** Whether an endpoint is well as its checks go; `undefined`: it is not checked, or was not yet. */
  isHealthy(backend: string, address: string): boolean | undefined {
    return this.#backends.get(backend)?.endpoints.get(address)?.isHealthy
  }

  /** All that failed, for a worker that knows nothing yet. */
  failed(): readonly CheckChange[] {
    return [...this.#backends].flatMap(([backend, { endpoints }]) =>
      [...endpoints.values()].flatMap(({ address, isHealthy }) =>
        isHealthy === false ? [{ backend, address, isFailed: true }] : [],
      ),
    )
  }

  /** Checks nothing any more. No timer and no socket is left. */
  stop(): void {
    this.#isStopped = true
    for (const { endpoints } of this.#backends.values()) for (const endpoint of endpoints.values()) endpoint.stop()
    this.#backends = new Map()
  }

  #checkBackend(
    backend: Backend,
    entry: BackendEndpoints | undefined,
    known: CheckedBackend | undefined,
  ): CheckedBackend {
    const endpoints = new Map<string, CheckedEndpoint>()
    for (const endpoint of entry?.endpoints ?? []) {
      const old = known?.endpoints.get(endpoint.address)
      const check = checkOf(backend)
      if (old && check) old.change(check)
      const checked = old ?? this.#begin(backend, endpoint)
      if (checked) endpoints.set(endpoint.address, checked)
    }
    return { backend, entry, endpoints }
  }

  #begin(backend: Backend, endpoint: BackendEndpoints['endpoints'][number]): CheckedEndpoint | undefined {
    const { name } = backend
    const check = checkOf(backend)
    if (!check) return undefined
    const checked = new CheckedEndpoint(endpoint, check, {
      ...this.#deps,
      turns: this.#turns,
      onTurned: (found) => this.#turned(name, checked, found),
    })
    checked.start()
    return checked
  }

  #turned(backend: string, { address, isHealthy }: CheckedEndpoint, found: string): void {
    const isFailed = isHealthy === false
    const message = isFailed ? 'endpoint failed its health checks' : 'endpoint passes its health checks again'
    this.#deps.log.info({ backend, endpoint: address, found }, message)
    this.#deps.onChanges([{ backend, address, isFailed }])
  }

  #leave(backend: string, gone: readonly CheckedEndpoint[]): void {
    for (const endpoint of gone) endpoint.stop()
    const failed = gone.filter(({ isHealthy }) => isHealthy === false)
    if (failed.length === 0) return
    this.#deps.onChanges(failed.map(({ address }) => ({ backend, address, isFailed: false })))
  }
}

/** An endpoint is checked by the protocol and the identity that requests reach it by. */
function checkOf(backend: Backend): EndpointCheck | undefined {
  return backend.healthCheck && { ...backend.healthCheck, way: wayOf(backend) }
}
