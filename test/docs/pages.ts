// The pages that people read, and what can be found in them.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export const ROOT: string = join(import.meta.dirname, '../..')

export interface DocPage {
  /** From the repository's root. */
  readonly file: string
  readonly text: string
}

/** Every Markdown page of this repository. */
export function readPages(): readonly DocPage[] {
  const files = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).toSorted()
  return files.map((file) => ({ file, text: readFileSync(join(ROOT, file), 'utf8') }))
}

/** The text of one page. */
export function readPage(file: string): string {
  return readFileSync(join(ROOT, file), 'utf8')
}

/** Everything between single backticks, and each line of fenced blocks. */
export function codeIn(text: string): readonly string[] {
  const blocks = [...text.matchAll(/^```.*\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.split('\n'))
  const prose = text.replaceAll(/^```.*\n[\s\S]*?^```/gm, '')
  return [...blocks, ...[...prose.matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code)]
}

/** The lines of fenced blocks of one language. */
export function commandsIn(text: string, language = 'sh'): readonly string[] {
  const blocks = [...text.matchAll(/^```(\S*)\n([\s\S]*?)^```/gm)]
  return blocks
    .filter(([, name]) => name === language)
    .flatMap(([, , block = '']) => block.split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}
