// Tells of client fields that do not go on for what stands in their names (R20-38, R20-39, R32-24).
import type { DroppedFields } from '../http/request-head.ts'
import type { WorkerLog } from './engine.ts'
import { FirstWarning } from './first-warning.ts'

// The name is a client's, and may be as long as a head.
const SHOWN_LENGTH = 64

/** Names the first field of each kind at warn; those that follow are told at debug, and counted by whoever asks. */
export class DroppedFieldLog {
  readonly #underscore: FirstWarning
  readonly #dot: FirstWarning

  constructor(log: WorkerLog) {
    this.#underscore = new FirstWarning(log)
    this.#dot = new FirstWarning(log)
  }

  tell({ underscore, misspelled }: DroppedFields): void {
    if (misspelled === undefined) return
    const field = misspelled.slice(0, SHOWN_LENGTH)
    if (underscore > 0 && misspelled.includes('_')) {
      this.#underscore.tell(
        { field },
        'dropped a client field with _ in its name (--underscore-headers keep lets it pass)',
      )
    } else this.#dot.tell({ field }, 'dropped a client field that an upstream could take for one of ours')
  }
}
