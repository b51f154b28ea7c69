import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
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
