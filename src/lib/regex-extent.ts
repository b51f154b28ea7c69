// How long a pattern is with its counted repetitions written out. Known before anything is compiled, because compiling
// is what a pattern such as ((a{99}){99}){99} makes dear.

const COUNTED = /^\{(\d+)(?:,(\d*))?\}/
const ESCAPE = /^\\(?:[pPx]\{[^}]*\}|[pP].|x[\da-f]{2}|[0-7]{1,3}|.)?/is
const CLASS = /^\[\^?\]?(?:\\[pP]\{[^}]*\}|\\.|\[:\^?\w+:\]|[^\]\\])*\]?/s
const QUOTED = /^\\Q(.*?)(?:\\E|$)/s

interface Group {
  /** Characters so far, repetitions written out. */
  total: number
  /** Those of the last element, which a repetition would multiply. */
  last: number
}

/**
 * The number of characters of `text` with counted repetitions written out: `x{2,5}` is five `x`, `x{3,}` three, and
 * nested ones multiply (R10-23). A text that is no valid pattern has some number.
 */
export function writtenOutLength(text: string): number {
  const groups: Group[] = []
  let group: Group = { total: 0, last: 0 }
  let at = 0
  while (at < text.length) {
    const char = text[at]
    if (char === '(') {
      groups.push(group)
      group = { total: 1, last: 0 }
      at += 1
    } else if (char === ')') {
      const outer = groups.pop() ?? { total: 0, last: 0 }
      append(outer, group.total + 1)
      group = outer
      at += 1
    } else at = scanElement(text, at, group)
  }
  return groups.reduce((sum, { total }) => sum + total, group.total)
}

/** Reads what is no parenthesis at `at` into `group` and gives the place behind it. */
function scanElement(text: string, at: number, group: Group): number {
  switch (text.charAt(at)) {
    case '{':
      return scanRepetition(text, at, group)
    case '\\':
      return scanEscape(text, at, group)
    case '[':
      return appendMatch(CLASS, text, at, group)
    case '*':
    case '+':
    case '?':
      group.total += 1
      group.last += 1
      return at + 1
    default:
      append(group, 1)
      return at + 1
  }
}

function scanRepetition(text: string, at: number, group: Group): number {
  const counted = COUNTED.exec(text.slice(at))
  if (!counted) {
    append(group, 1)
    return at + 1
  }
  const times = Math.max(1, Number(counted[1]), Number(counted[2] ?? 0))
  group.total += group.last * (times - 1)
  group.last *= times
  return at + counted[0].length
}

function scanEscape(text: string, at: number, group: Group): number {
  const quoted = QUOTED.exec(text.slice(at))
  if (!quoted) return appendMatch(ESCAPE, text, at, group)
  const [whole, literal = ''] = quoted
  group.total += whole.length
  group.last = literal === '' ? group.last : 1
  return at + whole.length
}

function appendMatch(pattern: RegExp, text: string, at: number, group: Group): number {
  const length = pattern.exec(text.slice(at))?.[0].length ?? 1
  append(group, length)
  return at + length
}

function append(group: Group, length: number): void {
  group.total += length
  group.last = length
}
