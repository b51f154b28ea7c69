// Where what is made once per machine lives: built programs, certificates, a Go toolchain.
import { mkdirSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/** A folder of this repository's own under the user's cache, made if it is not there yet. */
export function cacheFolder(...parts: readonly string[]): string {
  const folder = join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'ramjet', ...parts)
  mkdirSync(folder, { recursive: true })
  return folder
}
