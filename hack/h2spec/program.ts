// Where h2spec is, once it has been built (build.ts).
import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder } from '../cache-folder.ts'
import { findGo, type Go } from '../kube/go.ts'
import { Unavailable } from '../unavailable.ts'

export const MODULE: string = import.meta.dirname

/** The file that a build with `go` makes; another pin or Go has another one. */
export function builtFile(go: Go): string {
  const hash = createHash('sha256').update(go.version)
  for (const name of ['go.mod', 'go.sum']) hash.update(readFileSync(join(MODULE, name)))
  return join(cacheFolder('h2spec'), hash.digest('hex').slice(0, 16))
}

/** The program, or `undefined` where it was not built yet. */
export function findH2spec(): string | undefined {
  const go = findGo()
  const file = go && builtFile(go)
  return file && existsSync(file) ? file : undefined
}

/** As `findH2spec`, but says what to run where there is none. */
export function requireH2spec(): string {
  const file = findH2spec()
  if (!file) throw new Unavailable('h2spec is not built: run node hack/h2spec/build.ts')
  return file
}
