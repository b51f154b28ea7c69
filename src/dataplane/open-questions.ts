// What a worker was asked and has not answered yet.
import type { FromWorker } from './worker-protocol.ts'

export type Question = 'part' | 'build' | 'assign' | 'listen' | 'drain'

/** Messages of a worker that answer a question; the others it sends by itself. */
export type Reply = Exclude<FromWorker, { readonly kind: 'transport' | 'unused' | 'failing' | 'log' }>

/** The questions to one worker that are open, one of each at most. */
export class OpenQuestions {
  readonly #waiting = new Map<Question, (reply: Reply | undefined) => void>()

  has(question: Question): boolean {
    return this.#waiting.has(question)
  }

  /** Resolves with what answers `question`; `undefined`: nothing will. */
  open(question: Question): Promise<Reply | undefined> {
    return new Promise((resolve) => {
      this.#waiting.set(question, resolve)
    })
  }

  /** `question` has its answer; without `reply`: it gets none. */
  close(question: Question, reply?: Reply): void {
    const resolve = this.#waiting.get(question)
    this.#waiting.delete(question)
    resolve?.(reply)
  }

  /** No question gets an answer any more. */
  closeAll(): void {
    for (const question of this.#waiting.keys()) this.close(question)
  }
}
