import { aborted } from './aborted.ts'
import type { Leadership, Term } from './leader-election.ts'
import { NotLeadingError } from './leader-election.ts'
import type { Runnable } from './manager.ts'

/** Leads for as long as it runs, without a Lease: for a single replica (R30-45). */
export class SoleWriter implements Leadership, Runnable {
  readonly name = 'sole writer'
  readonly #onLead: (term: Term) => void
  #isLeading = false

  constructor(onLead: (term: Term) => void) {
    this.#onLead = onLead
  }

  get isLeading(): boolean {
    return this.#isLeading
  }

  mayWrite(): boolean {
    return this.#isLeading
  }

  /** Does nothing: there is no Lease to write it on. */
  note(): void {}

  async run(signal: AbortSignal): Promise<void> {
    const term = new AbortController()
    this.#isLeading = true
    this.#onLead({ signal: term.signal, noted: () => undefined })
    await aborted(signal)
    this.#isLeading = false
    term.abort(new NotLeadingError('shutting down'))
  }
}
