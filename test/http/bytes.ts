/** Text of one character a byte, as bytes. */
export function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(Buffer.from(text, 'latin1'))
}

/** The text of `bytes[start, end)`. */
export function textOf(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('latin1')
}

/** The text of runs: pairs of start and end. */
export function runTexts(bytes: Uint8Array, runs: Int32Array, count: number): readonly string[] {
  return Array.from({ length: count }, (_none, index) => textOf(bytes, runs[2 * index] ?? 0, runs[2 * index + 1] ?? 0))
}

/** Field lines, each with its end, of a header list. */
export function linesOf(fields: readonly string[]): string {
  let text = ''
  for (let at = 0; at < fields.length; at += 2) text += `${fields[at]}: ${fields[at + 1]}\r\n`
  return text
}
