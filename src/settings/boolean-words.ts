const TRUE = ['true', '1', 'yes', 'on'] as const
const FALSE = ['false', '0', 'no', 'off'] as const

/** The eight words of a boolean, as they are told to people (R33-3). */
export const BOOLEAN_WORDS: string = [...TRUE, ...FALSE].join(', ')

/** What a word of a boolean means, in any case; `undefined` for every other word. */
export function parseBoolean(word: string): boolean | undefined {
  const lower = word.toLowerCase()
  if (TRUE.some((known) => known === lower)) return true
  return FALSE.some((known) => known === lower) ? false : undefined
}
