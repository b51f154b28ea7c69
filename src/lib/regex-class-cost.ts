// How many characters the classes of a pattern name. A compiler that ignores case looks at each of them: one class
// [k-\x{10ffff}] took re2js 4 ms, and a host of patterns made of them would hold a worker up for half a minute.

/** What a Unicode class such as \pL counts for: it takes as long as a range of so many characters. */
const UNICODE_CLASS = 4096
// Characters below and above have no other case, and a range that holds all that have one is taken whole.
const FIRST_CASED = 0x41
const LAST_CASED = 0x1e943

const QUOTED = /\\Q.*?(?:\\E|$)/
const NAMED = /\\[pP](?:\{[^}]*\}|.)?/
const CLASS = /\[\^?\]?(?:\\[pP]\{[^}]*\}|\\.|\[:\^?\w+:\]|[^\]\\])*\]?/
const TOKENS = new RegExp(`${QUOTED.source}|${NAMED.source}|${CLASS.source}|\\\\.|.`, 'gsu')

const CHARACTER = /\\x\{[\da-fA-F]{1,8}\}|\\x[\da-fA-F]{2}|\\[0-7]{1,3}|\\.|[^\\]/
const ITEMS = new RegExp(`\\[:\\^?\\w+:\\]|${NAMED.source}|(${CHARACTER.source})-(${CHARACTER.source})|.`, 'gsu')

/** Characters that the classes of `text` name; a Unicode class counts 4,096. A text that is no valid pattern has some number. */
export function classCost(text: string): number {
  let cost = 0
  for (const [token] of text.matchAll(TOKENS)) {
    if (/^\\[pP]/.test(token)) cost += UNICODE_CLASS
    else if (token.startsWith('[')) cost += itemsCost(token.replace(/^\[\^?/, '').replace(/\]$/, ''))
  }
  return cost
}

function itemsCost(items: string): number {
  let cost = 0
  for (const [item, low, high] of items.matchAll(ITEMS)) {
    if (low !== undefined && high !== undefined) cost += rangeCost(codePointOf(low), codePointOf(high))
    else cost += /^\\[pP]/.test(item) ? UNICODE_CLASS : 1
  }
  return cost
}

function rangeCost(low: number, high: number): number {
  if (low <= FIRST_CASED && high >= LAST_CASED) return 1
  return Math.max(1, Math.min(high, LAST_CASED) - Math.max(low, FIRST_CASED) + 1)
}

function codePointOf(character: string): number {
  const hex = /^\\x\{?([\da-fA-F]+)/.exec(character)?.[1]
  if (hex !== undefined) return Number.parseInt(hex, 16)
  const octal = /^\\([0-7]+)$/.exec(character)?.[1]
  if (octal !== undefined) return Number.parseInt(octal, 8)
  // \n and the like are read as their letter: too much by a hundred, which no bound minds.
  return character.replace(/^\\/, '').codePointAt(0) ?? 0
}
