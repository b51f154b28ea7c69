/** A page under docs/, or a JSON file, that is made from code. */
export interface Page {
  /** Its path from the repository's root. */
  readonly file: string
  /** The file that it is made from. */
  readonly source: string
  readonly title: string
  readonly body: string
}

/** The whole text of a page, with a first line that says where an edit belongs. */
export function pageText(page: Page): string {
  // A schema says in a field of its own where it comes from.
  if (page.file.endsWith('.json')) return `${page.body}\n`
  const origin = `<!-- Made from ${page.source} by \`npm run docs\`. Edit that, not this. -->`
  return `${origin}\n\n# ${page.title}\n\n${page.body.trim()}\n`
}

/** A Markdown table. Cells may hold Markdown; a bar in one is escaped. */
export function markdownTable(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  return [row(heads), row(heads.map(() => '---')), ...rows.map(row)].join('\n')
}

/** `text` as code; nothing for no text. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function row(cells: readonly string[]): string {
  return `| ${cells.map(cell).join(' | ')} |`
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ').trim()
}
