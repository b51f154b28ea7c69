// Whether traffic may be sent here (R30-47): from the first pair that every worker serves, until SIGTERM.

export interface WorkerFacts {
  readonly index: number
  readonly state: string
  readonly generation: number
  readonly endpointsVersion: number
}

export interface KindFacts {
  readonly kind: string
  readonly required: boolean
  readonly hasSynced: boolean
  readonly state: string
  /** Empty where nothing is in the way. */
  readonly problem: string
}

export interface ReadinessSources {
  readonly workers: () => readonly WorkerFacts[]
  /** None in static mode. */
  readonly kinds: () => readonly KindFacts[]
}

export interface ReadinessReport {
  readonly isReady: boolean
  /** A sentence part for each thing that is missing; empty when ready. */
  readonly waitsFor: readonly string[]
}

/** Ready once and then for good: no refusal, no lost API server and no lost permission takes a replica out. */
export class Readiness {
  readonly #sources: ReadinessSources
  #wasReady = false
  #isDraining = false

  constructor(sources: ReadinessSources) {
    this.#sources = sources
  }

  report(): ReadinessReport {
    if (this.#isDraining) return { isReady: false, waitsFor: ['nothing: this process is shutting down'] }
    if (this.#wasReady) return { isReady: true, waitsFor: [] }
    const waitsFor = [...this.#kinds(), ...this.#workers()]
    this.#wasReady = waitsFor.length === 0
    return { isReady: this.#wasReady, waitsFor }
  }

  /** From now on it is not ready (R20-166). */
  startDraining(): void {
    this.#isDraining = true
  }

  #kinds(): readonly string[] {
    return this.#sources
      .kinds()
      .filter(({ required, hasSynced }) => required && !hasSynced)
      .map(({ kind, state, problem }) => `${kind}: ${state}${problem === '' ? '' : `, ${problem}`}`)
  }

  #workers(): readonly string[] {
    const workers = this.#sources.workers()
    if (workers.length === 0) return ['workers: none has started']
    return workers
      .filter(({ state, generation }) => state !== 'serving' || generation === 0)
      .map(({ index, state, generation }) => `worker ${index}: ${generation === 0 ? 'has no generation yet' : state}`)
  }
}
