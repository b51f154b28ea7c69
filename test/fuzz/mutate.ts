// Random changes to inputs that mean something. All chance comes from one seed, so that a run can be had again.

/** Numbers from 0 to below `limit`. */
export type Chance = (limit: number) => number

/** A sequence that is the same for the same seed (mulberry32, by Tommy Ettinger, public domain). */
export function chanceFrom(seed: number): Chance {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

/** Bytes and pieces that parsers care about. */
const PIECES: readonly string[] = [
  '\r',
  '\n',
  '\r\n',
  '\r\n\r\n',
  '\0',
  '\t',
  ' ',
  '  ',
  ':',
  ';',
  ',',
  '"',
  '%',
  '/',
  '?',
  '#',
  '\x0b',
  '\x7f',
  '\x80',
  '\xff',
  '0',
  '1',
  '9',
  'a',
  'F',
  '+',
  '-',
  '_',
  '.',
  '0\r\n\r\n',
  '3\r\nabc\r\n',
  '3;x=y\r\n',
  'GET ',
  'POST ',
  ' / ',
  ' HTTP/1.1\r\n',
  ' HTTP/1.0\r\n',
  ' HTTP/2.0\r\n',
  'Host: a\r\n',
  'Content-Length: 3\r\n',
  'Content-Length: 0\r\n',
  'Transfer-Encoding: chunked\r\n',
  'chunked',
  'identity',
  'Connection: close\r\n',
  'Connection: keep-alive\r\n',
  'Upgrade: websocket\r\n',
  'Expect: 100-continue\r\n',
  'Trailer: A\r\n',
  'HTTP/1.1 200 OK\r\n',
  'PROXY TCP4 ',
  'UNKNOWN',
  '127.0.0.1',
  '::1',
  '65536',
  '18446744073709551616',
  '\x16\x03\x01',
  '\0\0',
]

const MAX_INPUT = 32_768

/** One of `inputs` with one to six changes, some of them taken from another. */
export function mutated(inputs: readonly string[], chance: Chance): string {
  let text = pick(inputs, chance)
  for (let left = 1 + chance(6); left > 0; left -= 1) text = change(text, inputs, chance)
  return text.slice(0, MAX_INPUT)
}

/** Places to cut an input at; often none, sometimes everywhere. */
export function cutsOf(text: string, chance: Chance): readonly number[] {
  const kind = chance(8)
  if (kind < 3) return []
  if (kind === 3 && text.length < 600) return Array.from(text, (_byte, index) => index)
  return Array.from({ length: 1 + chance(4) }, () => chance(text.length + 1))
}

function change(text: string, inputs: readonly string[], chance: Chance): string {
  const at = chance(text.length + 1)
  const end = Math.min(text.length, at + 1 + chance(chance(4) === 0 ? 200 : 8))
  switch (chance(8)) {
    case 0:
      return text.slice(0, at) + text.slice(end)
    case 1:
      return text.slice(0, at) + String.fromCharCode(chance(256)) + text.slice(at + 1)
    case 2:
      return text.slice(0, end) + text.slice(at)
    case 3: {
      const other = pick(inputs, chance)
      return text.slice(0, at) + other.slice(chance(other.length + 1))
    }
    case 4:
      return text + pick(inputs, chance)
    default:
      return text.slice(0, at) + pick(PIECES, chance) + text.slice(chance(3) === 0 ? end : at)
  }
}

function pick(list: readonly string[], chance: Chance): string {
  return list[chance(list.length)] ?? ''
}
