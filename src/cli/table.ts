/** A table for people. */
export interface TextTable {
  readonly head: readonly string[]
  readonly rows: readonly (readonly string[])[]
  /** Index of the row that is shown bold; `undefined`: none. */
  readonly strong?: number | undefined
}

export interface TableLook {
  /** Longer lines are cut; `undefined`: none is. */
  readonly columns: number | undefined
  readonly colour: boolean
}

const GAP = '  '
const BOLD = '\u001B[1m'
const PLAIN = '\u001B[0m'

/** The table in aligned columns; its last one is cut where the terminal is narrow. */
export function tableText({ head, rows, strong }: TextTable, { columns, colour }: TableLook): string {
  const shown = [head, ...rows].map((row) => row.map(printable))
  const widths = head.map((_title, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)))
  const lines = shown.map((row) => cut(lineOf(row, widths), columns))
  return lines
    .map((line, index) => (colour && columns !== undefined && index - 1 === strong ? `${BOLD}${line}${PLAIN}` : line))
    .map((line) => `${line}\n`)
    .join('')
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, column) => cell.padEnd(widths[column] ?? 0))
    .join(GAP)
    .trimEnd()
}

function cut(line: string, columns: number | undefined): string {
  if (columns === undefined || line.length <= columns) return line
  return `${line.slice(0, Math.max(0, columns - 1))}…`
}

/** `text` without anything that steers a terminal: what a replica answers must not. */
export function printable(text: string): string {
  return text.replaceAll(/\p{C}/gu, '?')
}
