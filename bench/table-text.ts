import type { FigureTable } from './bench.ts'

/** A table as aligned text: the first column to the left, figures to the right. */
export function tableText(table: FigureTable): string {
  const lines = [table.heads, ...table.rows]
  const widths = table.heads.map((_head, column) => Math.max(...lines.map((line) => (line[column] ?? '').length)))
  const rule = widths.map((width) => '-'.repeat(width)).join('  ')
  const [head = '', ...rows] = lines.map((line) => aligned(line, widths))
  return [table.title, '', head, rule, ...rows].join('\n')
}

function aligned(cells: readonly string[], widths: readonly number[]): string {
  return widths
    .map((width, column) => {
      const text = cells[column] ?? ''
      return column === 0 ? text.padEnd(width) : text.padStart(width)
    })
    .join('  ')
    .trimEnd()
}
