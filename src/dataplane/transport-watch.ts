import { RamjetError } from '../lib/errors.ts'
import type { Logger } from '../observability/log.ts'
import type { TransportFallback } from './transport/choose.ts'
import type { WorkerLink } from './worker-link.ts'

/** `--transport-strict`, and a worker cannot serve by the transport that was asked for (R20-9). */
export class TransportUnavailableError extends RamjetError {
  readonly code = 'RAMJET_TRANSPORT_UNAVAILABLE'

  constructor({ requested, serving, errno, message }: TransportFallback) {
    super(
      `--transport ${requested} cannot be had: ${errno} (${message}); take --transport-strict out to serve by ${serving}`,
      { context: { requested, errno } },
    )
  }
}

export interface TransportWatchDeps {
  readonly log: Logger
  /** Whether no other transport than the one that was asked for will do. */
  readonly isStrict: boolean
}

/** Learns by which transport each worker serves, and what happens where one cannot be had. */
export class TransportWatch {
  readonly #deps: TransportWatchDeps
  readonly #serving = new Set<string>()
  #hasTold = false

  constructor(deps: TransportWatchDeps) {
    this.#deps = deps
  }

  /** The names of the transports that serve, most often one. */
  serving(): string {
    return [...this.#serving].join(', ')
  }

  /** Resolves when `link` has told, or ended; throws where that is not to be served by. */
  async check(link: WorkerLink): Promise<void> {
    const report = await link.transport
    if (!report) return
    const { serving, fallback } = report
    if (fallback && this.#deps.isStrict) throw new TransportUnavailableError(fallback)
    this.#serving.add(serving)
    if (fallback) this.#tell(fallback)
  }

  // Once a process: every worker finds the same.
  #tell({ requested, serving, errno, message }: TransportFallback): void {
    if (this.#hasTold) return
    this.#hasTold = true
    const fields = { requested, serving, errno, reason: message }
    if (requested === 'auto') this.#deps.log.info(fields, 'serving by the transport that every Node has')
    else this.#deps.log.warn(fields, 'the transport that was asked for cannot be had')
  }
}
