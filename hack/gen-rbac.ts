// Writes config/rbac from the table of permissions. With --check it writes nothing and fails where a file differs; with
// --namespaces a,b it prints what an install needs that watches only those.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { staleFiles } from './generated-file.ts'
import { narrowedRbac, rbacFiles } from './rbac/objects.ts'

const ROOT = join(import.meta.dirname, '..')

function main(): void {
  const flags = { check: { type: 'boolean', default: false }, namespaces: { type: 'string' } } as const
  const { values } = parseArgs({ options: flags })
  if (values.namespaces !== undefined) {
    process.stdout.write(narrowedRbac(values.namespaces.split(',')))
    return
  }
  const files = rbacFiles()
  const stale = staleFiles(files)
  for (const { file, text } of stale) {
    if (!values.check) {
      mkdirSync(dirname(join(ROOT, file)), { recursive: true })
      writeFileSync(join(ROOT, file), text)
    }
    console.log(values.check ? `${file} differs from hack/rbac/table.ts: run node hack/gen-rbac.ts` : `wrote ${file}`)
  }
  console.log(`gen-rbac: ${files.length} files, ${stale.length} ${values.check ? 'stale' : 'written'}`)
  process.exitCode = values.check && stale.length > 0 ? 1 : 0
}

if (import.meta.main) main()
