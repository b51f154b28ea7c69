/** One object for all who need it for a moment; who keeps his for longer leaves the next one to be made anew. */
export class Spare<T extends { reset(): void }> {
  readonly #make: () => T
  #spare: T | undefined

  constructor(make: () => T) {
    this.#make = make
  }

  take(): T {
    const taken = this.#spare ?? this.#make()
    this.#spare = undefined
    return taken
  }

  giveBack(given: T): void {
    given.reset()
    this.#spare = given
  }
}
