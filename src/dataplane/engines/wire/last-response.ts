import type { ExchangeHost } from './exchange-host.ts'
import type { RequestFacts } from './request-facts.ts'

/** Whether the client's connection ends with the response to a request: decided when the response's head is written. */
export class LastResponse {
  /** As it was decided. */
  isLast = false
  readonly #client: ExchangeHost
  readonly #facts: Readonly<RequestFacts>

  constructor(client: ExchangeHost, facts: Readonly<RequestFacts>) {
    this.#client = client
    this.#facts = facts
  }

  /** Begins with another request. */
  reset(): void {
    this.isLast = false
  }

  /** Decides; `mustBe`: it ends whatever else there is to say. */
  decide(mustBe: boolean): boolean {
    const { awaitsContinue, isUpgrade, keepsAlive } = this.#facts
    // Whoever waits for a 100 that never came may or may not send the body: only the end of the connection is clear.
    const isUnclear = awaitsContinue || (isUpgrade && this.#client.intake.waiting > 0)
    this.isLast = mustBe || isUnclear || !keepsAlive || this.#client.mustClose()
    return this.isLast
  }
}
