/** Runs tasks one after the other, in the order in which they came. Whoever gives tasks bounds how many there are. */
export class Turns {
  #last: Promise<unknown> = Promise.resolve()

  /** What `task` gives, once all that came before it have ended, well or not. */
  take<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task)
    this.#last = turn.catch(() => undefined)
    return turn
  }
}
