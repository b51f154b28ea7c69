import type { FailedChecks } from '../router/health.ts'

/** What became of an endpoint in its checks, as part of one backend. */
export interface CheckChange {
  readonly backend: string
  readonly address: string
  readonly isFailed: boolean
}

/** The endpoints that failed their checks, as a worker was told. Who checks tells of each that leaves as well. */
export class CheckVerdicts implements FailedChecks {
  readonly #failed = new Map<string, Set<string>>()

  has(backend: string, address: string): boolean {
    return this.#failed.size > 0 && (this.#failed.get(backend)?.has(address) ?? false)
  }

  change(changes: readonly CheckChange[]): void {
    for (const { backend, address, isFailed } of changes) {
      if (isFailed) this.#add(backend, address)
      else this.#remove(backend, address)
    }
  }

  #add(backend: string, address: string): void {
    const known = this.#failed.get(backend)
    if (known) known.add(address)
    else this.#failed.set(backend, new Set([address]))
  }

  #remove(backend: string, address: string): void {
    const known = this.#failed.get(backend)
    known?.delete(address)
    if (known?.size === 0) this.#failed.delete(backend)
  }
}
