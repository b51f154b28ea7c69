import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { cacheFolder } from '../../hack/cache-folder.ts'

/** Where a program is: one that `hack/install-peers.sh` put into the cache folder, or the system's. */
export function programPath(name: string): string {
  const own = join(cacheFolder(), 'peers/bin', name)
  return existsSync(own) ? own : name
}

/** The first line that a program prints about its version that matches `pattern`; `undefined` where it cannot be run. */
export function versionOf(program: string, args: readonly string[], pattern: RegExp): string | undefined {
  const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) return undefined
  return pattern.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown version'
}

/** Those of `names` that are nowhere. */
export function missingPrograms(names: readonly string[]): readonly string[] {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return names.filter((name) => {
    const program = programPath(name)
    return program === name && !folders.some((folder) => existsSync(join(folder, name)))
  })
}
