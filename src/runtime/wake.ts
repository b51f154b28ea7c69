/** Lets one loop wait until there is something for it. */
export class Wake {
  #go: (() => void) | undefined

  /** Ends the wait, where somebody waits. */
  call(): void {
    this.#go?.()
  }

  /** Resolves when it is called, or when `signal`, which is not aborted yet, is. */
  wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = (): void => {
        this.#go = undefined
        signal.removeEventListener('abort', go)
        resolve()
      }
      this.#go = go
      signal.addEventListener('abort', go)
    })
  }
}
