/**
 * The word of `known` that is closest to `word`, for "did you mean". `undefined` where none is within a third of its
 * length (one edit at least). A swap of neighbours is one edit; case counts for nothing; the first of equals wins.
 */
export function nearest(word: string, known: Iterable<string>): string | undefined {
  const wanted = word.toLowerCase()
  let best: string | undefined
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) >= bestDistance) continue
    const distance = editDistance(wanted, candidate.toLowerCase())
    if (distance >= bestDistance) continue
    best = candidate
    bestDistance = distance
  }
  return best
}

/** Insertions, deletions, replacements and swaps of neighbours between two words (optimal string alignment). */
function editDistance(from: string, to: string): number {
  let twoBack: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const replaced = at(previous, column - 1) + (from[row - 1] === to[column - 1] ? 0 : 1)
      let least = Math.min(at(previous, column) + 1, at(current, column - 1) + 1, replaced)
      if (from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1] && row > 1 && column > 1) {
        least = Math.min(least, at(twoBack, column - 2) + 1)
      }
      current.push(least)
    }
    twoBack = previous
    previous = current
  }
  return at(previous, to.length)
}

function at(row: readonly number[], index: number): number {
  return row[index] ?? 0
}
