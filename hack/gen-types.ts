// Writes types and validators of our own kinds from crds/. With --check it writes nothing and fails where a file differs.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type GeneratedFile, staleFiles } from './generated-file.ts'
import { type Crd, fileNameOf, readCrds } from './types/crd.ts'
import { typesText } from './types/types-text.ts'
import { validatorText } from './types/validator-text.ts'

const ROOT = join(import.meta.dirname, '..')

/** Every file that is made from a CRD, as it should be. */
export function generatedFiles(): readonly GeneratedFile[] {
  return readCrds().flatMap(filesOf)
}

function filesOf(crd: Crd): readonly GeneratedFile[] {
  const name = fileNameOf(crd.kind)
  const types = `src/api/${crd.version}/${name}.ts`
  return [
    { file: types, text: formatted(types, typesText(crd)) },
    { file: `src/controllers/validators/${name}.generated.ts`, text: validatorText(crd) },
  ]
}

/** As the formatter of the repository writes it, so that `npm run lint` has nothing to say. */
function formatted(file: string, text: string): string {
  const biome = join(ROOT, 'node_modules', '.bin', 'biome')
  const { status, stdout, stderr } = spawnSync(biome, ['format', `--stdin-file-path=${file}`], {
    cwd: ROOT,
    input: text,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`biome could not format ${file}: ${stderr}`)
  return stdout
}

if (import.meta.main) {
  const files = generatedFiles()
  const stale = staleFiles(files)
  const check = process.argv.includes('--check')
  for (const { file, text } of stale) {
    if (!check) writeFileSync(join(ROOT, file), text)
    console.log(check ? `${file} differs from crds/: run node hack/gen-types.ts` : `wrote ${file}`)
  }
  console.log(`gen-types: ${files.length} files, ${stale.length} ${check ? 'stale' : 'written'}`)
  process.exitCode = check && stale.length > 0 ? 1 : 0
}
