/** Gives a point in [0, 1), evenly spread. */
export type Random = () => number

const LOW_BITS = 2 ** 26
const ALL_BITS = 2 ** 53

/**
 * Points from four numbers of 32 bits that are not all 0, and that nobody else should know. Not for secrets. Allocates
 * nothing, as the random numbers of JavaScript itself do.
 *
 * Source: Blackman and Vigna, xoshiro128** 1.1.
 */
export function createRandom(seed: Uint32Array): Random {
  const state = Uint32Array.from(seed)
  return () => {
    const high = next(state) >>> 5
    return (high * LOW_BITS + (next(state) >>> 6)) / ALL_BITS
  }
}

function next(state: Uint32Array): number {
  const second = state[1] ?? 0
  const result = Math.imul(rotated(Math.imul(second, 5), 7), 9)
  const third = (state[2] ?? 0) ^ (state[0] ?? 0)
  const fourth = (state[3] ?? 0) ^ second
  state[1] = second ^ third
  state[0] = (state[0] ?? 0) ^ fourth
  state[2] = third ^ (second << 9)
  state[3] = rotated(fourth, 11)
  return result
}

function rotated(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits))
}
