// What a script of this folder throws when the machine lacks something that it cannot mend by itself.

/** `hack/test.ts` skips the cluster tests when a step ends with this code (sysexits.h, EX_UNAVAILABLE). */
export const EXIT_UNAVAILABLE = 69

/** The message is the one sentence that tells a person what is missing and what to do about it. */
export class Unavailable extends Error {}

/** Runs a script to its end: the sentence and exit code 69 for what is missing, code 1 for any other failure. */
export async function runScript(script: () => Promise<void> | void): Promise<void> {
  try {
    await script()
  } catch (error) {
    const missing = error instanceof Unavailable
    console.error(missing ? error.message : error)
    process.exitCode = missing ? EXIT_UNAVAILABLE : 1
  }
}
