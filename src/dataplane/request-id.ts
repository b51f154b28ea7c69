import type { Random } from '../lib/random.ts'

const WORDS = 4

/** 32 random hexadecimal digits: the id of a request that came without a usable one (R20-30). */
export function freshRequestId(random: Random): string {
  let id = ''
  for (let word = 0; word < WORDS; word += 1) {
    id += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')
  }
  return id
}
