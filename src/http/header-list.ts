/**
 * The fields of a head or a trailer section as they came or will go: name, value, name, value. Order, case and
 * duplicates are kept. Values are latin1, one character a byte, without the white space around them.
 */
export type HeaderList = readonly string[]

/** A header list with its names in lower case, found once for all who ask. */
export class HeaderIndex {
  readonly fields: HeaderList
  /** The name of field `i` is `names[i]`; its value is `fields[2 * i + 1]`. */
  readonly names: readonly string[]

  constructor(fields: HeaderList) {
    const names: string[] = []
    for (let at = 0; at < fields.length; at += 2) names.push((fields[at] ?? '').toLowerCase())
    this.fields = fields
    this.names = names
  }

  /** Reports whether a field has this name, given in lower case. */
  has(name: string): boolean {
    return this.names.includes(name)
  }

  /** The values of every field of this name (lower case), in order; most often none or one. */
  values(name: string): readonly string[] {
    const first = this.names.indexOf(name)
    if (first < 0) return NONE
    const found: string[] = []
    for (let index = first; index < this.names.length; index += 1) {
      if (this.names[index] === name) found.push(this.fields[2 * index + 1] ?? '')
    }
    return found
  }
}

const NONE: readonly string[] = []

/** The size of the fields as they stand in a message, at least: white space around values left out. */
export function fieldBytes(fields: HeaderList): number {
  let bytes = (fields.length / 2) * ': \r\n'.length
  for (const text of fields) bytes += text.length
  return bytes
}

/** The members of a comma-separated list that may be spread over several fields, in lower case; empty ones left out. */
export function listTokens(values: readonly string[]): readonly string[] {
  return values
    .flatMap((value) => value.split(','))
    .map((token) => trimBlanks(token).toLowerCase())
    .filter((token) => token !== '')
}

/** `text` without the spaces and tabs around it: the only white space that HTTP knows (RFC 9110, section 5.6.3). */
export function trimBlanks(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && isBlank(text.charCodeAt(start))) start += 1
  while (end > start && isBlank(text.charCodeAt(end - 1))) end -= 1
  return text.slice(start, end)
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}
