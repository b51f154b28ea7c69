// The files that `--config` names, read from the disk (R42-1, R42-4).
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { messageOf } from '../lib/errors.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { ConfigFault } from './config-faults.ts'
import type { ConfigText } from './operator-config.ts'

const NAMES = /\.(yaml|yml|conf)$/
/** What a ConfigMap can hold. */
const MAX_FILE_BYTES = 1024 * 1024
const MAX_FILES = 100

/** The texts of the file at `path`, or of the files in that folder in order of their names; else why there are none. */
export async function readConfigTexts(path: string): Promise<Result<readonly ConfigText[], readonly ConfigFault[]>> {
  const paths = await filesOf(path)
  if (!paths.ok) return paths
  const texts = await Promise.all(paths.value.map(readText))
  const faults = texts.flatMap((text) => (text.ok ? [] : [text.error]))
  return faults.length > 0 ? err(faults) : ok(texts.flatMap((text) => (text.ok ? [text.value] : [])))
}

async function filesOf(path: string): Promise<Result<readonly string[], readonly ConfigFault[]>> {
  try {
    if (!(await stat(path)).isDirectory()) return ok([path])
    // By the code units of their names, whatever the locale of the machine is.
    const names = (await readdir(path)).filter((name) => NAMES.test(name)).toSorted()
    const files = await Promise.all(names.map((name) => fileOrNone(join(path, name))))
    const found = files.flatMap((file) => file ?? [])
    return found.length <= MAX_FILES
      ? ok(found)
      : err([fault(path, `has ${found.length} files; at most ${MAX_FILES} are read`)])
  } catch (thrown) {
    return err([fault(path, `cannot be read: ${messageOf(thrown)}`)])
  }
}

/** A mounted ConfigMap has links to files, and folders beside them: a link counts as what it leads to. */
async function fileOrNone(path: string): Promise<string | undefined> {
  return (await stat(path)).isDirectory() ? undefined : path
}

async function readText(file: string): Promise<Result<ConfigText, ConfigFault>> {
  try {
    const found = await stat(file)
    // A pipe would be waited for, and a device may have no end.
    if (!found.isFile()) return err(fault(file, 'is no file'))
    const { size } = found
    if (size > MAX_FILE_BYTES) return err(fault(file, `has ${size} bytes; at most ${MAX_FILE_BYTES} are read`))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await readFile(file))
    return ok({ file, text })
  } catch (thrown) {
    return err(fault(file, `cannot be read: ${messageOf(thrown)}`))
  }
}

function fault(file: string, message: string): ConfigFault {
  return { file, line: 1, field: '', message }
}
