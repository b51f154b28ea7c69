/** Long work that can be put down between two of its steps, so that a thread which does it can do other things. */
export type Steps<T> = Generator<undefined, T, undefined>

/** Does all of it at once. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}
