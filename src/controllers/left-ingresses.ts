/**
 * Ingresses that this process has seen to be ours and that are not any more: what we wrote onto one of them is ours to
 * take away where nobody took it over (R30-38).
 */
export class LeftIngresses {
  readonly #left = new Set<string>()
  #claimed: ReadonlySet<string> = new Set()

  /** Takes what is ours now, and gives what was until now and is there still: `namespace/name`. */
  compiled(claimed: ReadonlySet<string>, exists: (key: string) => boolean): readonly string[] {
    const leaving = [...this.#claimed].filter((key) => !claimed.has(key) && exists(key))
    for (const key of this.#left) if (claimed.has(key)) this.#left.delete(key)
    for (const key of leaving) this.#left.add(key)
    this.#claimed = claimed
    return leaving
  }

  has(key: string): boolean {
    return this.#left.has(key)
  }

  /** There is no such Ingress any more. */
  gone(key: string): void {
    this.#left.delete(key)
  }
}
