// A folder for as long as the tests of one block run. It is made with the first of them, and not while the file is read: a
// run that leaves the block out would never remove it.
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * The absolute path of a folder that is empty but for `files` (name to content) while the tests of the surrounding
 * `describe` run.
 */
export function temporaryFolder(name: string, files: Readonly<Record<string, string>> = {}): string {
  const folder = join(tmpdir(), `ramjet-${name}-${randomUUID()}`)
  before(function () {
    mkdirSync(folder)
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content)
    // Behind the block's own hooks, which end what uses the folder.
    this.test?.parent?.afterAll(() => rmSync(folder, { recursive: true, force: true }))
  })
  return folder
}
