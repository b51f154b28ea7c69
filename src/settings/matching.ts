import { err, ok, type Result } from '../lib/result.ts'

/** Reads text that `pattern` matches; the error is `words`, which say what is wanted. */
export function matching(pattern: RegExp, words: string): (text: string) => Result<string, string> {
  return (text) => (pattern.test(text) ? ok(text) : err(words))
}
