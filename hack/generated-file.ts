import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** A file that a script of this folder makes, as it should be. */
export interface GeneratedFile {
  /** From the repository's root. */
  readonly file: string
  readonly text: string
}

/** Those that are not there, or say something else. */
export function staleFiles<File extends GeneratedFile>(files: readonly File[]): readonly File[] {
  return files.filter(({ file, text }) => {
    const path = join(ROOT, file)
    return !existsSync(path) || readFileSync(path, 'utf8') !== text
  })
}
