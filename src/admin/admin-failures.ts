/** Why a request was refused, or cut while it was relayed: the label of `ramjet_admin_failures_total`. */
export type AdminFailure = 'relay_limit' | 'relay_timeout' | 'relay_connect' | 'relay_broken' | 'events_limit'

/** Counts since the start. */
export class AdminFailures {
  readonly #counts = new Map<AdminFailure, number>()

  count(reason: AdminFailure): void {
    this.#counts.set(reason, this.of(reason) + 1)
  }

  of(reason: AdminFailure): number {
    return this.#counts.get(reason) ?? 0
  }

  /** Of every reason. */
  counts(): Readonly<Record<AdminFailure, number>> {
    return {
      relay_limit: this.of('relay_limit'),
      relay_timeout: this.of('relay_timeout'),
      relay_connect: this.of('relay_connect'),
      relay_broken: this.of('relay_broken'),
      events_limit: this.of('events_limit'),
    }
  }
}
