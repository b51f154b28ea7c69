// The PEM files that a file of routes names (R21-36, R20-176).
import { readFile, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { messageOf } from '../lib/errors.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { YamlMapping, YamlNode } from './yaml-tree.ts'

/** By the path as it is written in the file: what it holds, or why that cannot be read. */
export type PemFiles = ReadonlyMap<string, Result<string, string>>

/** No file is named. */
export const NO_PEM_FILES: PemFiles = new Map()

/** Larger than any chain or bundle that is taken. */
const MAX_PEM_BYTES = 256 * 1024
/** Files that are open at a time. */
const AT_ONCE = 32
const PEM_FIELDS = ['cert', 'key', 'ca']

/** The paths that a file of routes names, as they are written; what is of the wrong kind is told by its reader. */
export function pemPathsIn(root: YamlNode): readonly string[] {
  const entries = itemsOf(root, 'tls')
  const upstream = itemsOf(root, 'backends').flatMap((backend) => fieldIn(backend, 'tls') ?? [])
  const paths = [...entries, ...upstream].flatMap((entry) =>
    PEM_FIELDS.flatMap((field) => {
      const value = fieldIn(entry, field)
      return value?.kind === 'scalar' && value.text !== '' ? [value.text] : []
    }),
  )
  return [...new Set(paths)]
}

/** Reads these, each relative to the folder of `routeFile`. */
export async function readPemFiles(routeFile: string, paths: readonly string[]): Promise<PemFiles> {
  const files = new Map<string, Result<string, string>>()
  for (let at = 0; at < paths.length; at += AT_ONCE) {
    const some = paths.slice(at, at + AT_ONCE)
    const texts = await Promise.all(some.map((path) => readPem(locate(routeFile, path))))
    for (const [index, path] of some.entries()) files.set(path, texts[index] ?? err('cannot be read'))
  }
  return files
}

/** Where a path of a file of routes leads. */
export function locate(routeFile: string, path: string): string {
  return resolve(dirname(routeFile), path)
}

async function readPem(path: string): Promise<Result<string, string>> {
  try {
    const { size } = await stat(path)
    return size > MAX_PEM_BYTES ? err('is larger than 256 KiB') : ok(await readFile(path, 'latin1'))
  } catch (thrown) {
    return err(`cannot be read: ${messageOf(thrown)}`)
  }
}

function itemsOf(node: YamlNode, field: string): readonly YamlNode[] {
  const value = fieldIn(node, field)
  return value?.kind === 'sequence' ? value.items : []
}

function fieldIn(node: YamlNode, field: string): YamlMapping['entries'][number]['value'] | undefined {
  return node.kind === 'mapping' ? node.entries.find(({ key }) => key === field)?.value : undefined
}
