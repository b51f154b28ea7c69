/** What the API server refused of one version of an object. */
interface Refusal {
  readonly version: string
  readonly targets: Set<string>
}

/** Writes that were refused, each by the version that it was computed from: none is sent again before there is another. */
export class RefusedWrites {
  readonly #refusals = new Map<string, Refusal>()

  /** `targets` of the object were refused, or would be for the same reason. */
  add(key: string, version: string, targets: readonly string[]): void {
    const known = this.#refusals.get(key)
    const before = known?.version === version ? known.targets : []
    this.#refusals.set(key, { version, targets: new Set([...before, ...targets]) })
  }

  has(key: string, version: string, target: string): boolean {
    const refusal = this.#refusals.get(key)
    return refusal?.version === version && refusal.targets.has(target)
  }

  forget(key: string): void {
    this.#refusals.delete(key)
  }
}
