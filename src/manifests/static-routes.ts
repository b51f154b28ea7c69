// A file of routes that is read again when it changes; what was good last stays (R20-176).
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import type { RouteFile } from '../compiler/snapshot.ts'
import { digestOf } from '../lib/digest.ts'
import { messageOf, RamjetError } from '../lib/errors.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { Cancel, Timers } from '../lib/timers.ts'
import { checkRouteFile } from './check-route-file.ts'
import { type FileFault, formatFileFault } from './file-fault.ts'
import { locate, type PemFiles, pemPathsIn, readPemFiles } from './pem-files.ts'
import { readRouteTree } from './route-file.ts'
import { parseYaml, type YamlNode } from './yaml-tree.ts'

/** Two looks fit into the 2 s in which a change must be noticed. */
const LOOK_EVERY_MS = 900
/** About a hundred thousand routes. */
const MAX_FILE_BYTES = 16 * 1024 * 1024
const MAX_TOLD = 20

/** The file cannot be served; one line of the message for each fault. */
export class RouteFileError extends RamjetError {
  readonly code = 'RAMJET_ROUTE_FILE'
}

/** The routes of the file at `path`, or one line for each of its faults, with file, line and field. */
export async function readRouteFile(path: string): Promise<Result<RouteFile, readonly string[]>> {
  return routesOf(path, await gather(path, NOTHING_READ))
}

export interface RouteFileWatchDeps {
  readonly timers: Timers
  /** Which file lies at a path, and when it was written last; that of the file system but in tests. */
  readonly identityOf?: (path: string) => Promise<string>
  /** The file changed and is good. */
  readonly onRoutes: (file: RouteFile) => void
  /** The file changed and is not: one line for each fault. */
  readonly onFaults: (faults: readonly string[]) => void
}

/**
 * Reads one file of routes, and again when it changes or a PEM file that it names: also when a symlink on the way points
 * elsewhere.
 */
export class RouteFileWatch {
  readonly #path: string
  readonly #deps: RouteFileWatchDeps
  #cancel: Cancel | undefined
  #stopped = true
  /** Identity and times of the files that were read last. */
  #seen = ''
  /**
   * Whether a look found `#seen` again, and the content with it. Many file systems date by a clock that stands still for some
   * milliseconds: what is written right after a read may bear the very date that was seen.
   */
  #isSettled = false
  #last: NamingText = NOTHING_READ
  /** Of the content that was read last, good or not. */
  #content = ''
  #reading: Promise<void> = Promise.resolve()

  constructor(path: string, deps: RouteFileWatchDeps) {
    this.#path = path
    this.#deps = deps
  }

  /** The routes to begin with, and from now on every change. Throws `RouteFileError`. */
  async start(): Promise<RouteFile> {
    const gathered = await this.#gather()
    const routes = routesOf(this.#path, gathered)
    if (!routes.ok) throw new RouteFileError(routes.error.join('\n'), { context: { file: this.#path } })
    this.#content = digestOfAll(gathered)
    this.#stopped = false
    this.#lookLater()
    return routes.value
  }

  stop(): void {
    this.#stopped = true
    this.#cancel?.()
  }

  /** Reads the file now, changed or not; what it holds is told only if it is new. */
  reload(): Promise<void> {
    this.#reading = this.#reading.then(() => this.#read())
    return this.#reading
  }

  #lookLater(): void {
    if (this.#stopped) return
    this.#cancel = this.#deps.timers.after(LOOK_EVERY_MS, () => void this.#look().then(() => this.#lookLater()))
  }

  async #look(): Promise<void> {
    const [seen, content] = [this.#seen, this.#content]
    const isSame = (await this.#identity()) === seen
    if (isSame && this.#isSettled) return
    await this.reload()
    this.#isSettled = isSame && this.#seen === seen && this.#content === content
  }

  async #identity(): Promise<string> {
    const paths = [this.#path, ...this.#last.pemPaths.map((path) => locate(this.#path, path))]
    const read = this.#deps.identityOf ?? identityOf
    return (await Promise.all(paths.map((path) => read(path)))).join('\n')
  }

  /** Reads all. What they are is taken before their content, so that a write in between is seen at the next look. */
  async #gather(): Promise<Gathered> {
    const before = await this.#identity()
    const known = new Set(this.#last.pemPaths)
    const gathered = await gather(this.#path, this.#last)
    const { textDigest, pemPaths } = gathered
    this.#last = { textDigest, pemPaths }
    this.#isSettled = false
    const isSame = known.size === pemPaths.length && pemPaths.every((path) => known.has(path))
    // Of files that are named for the first time nobody took anything before: they are read once more.
    this.#seen = isSame ? before : ''
    return gathered
  }

  async #read(): Promise<void> {
    const gathered = await this.#gather()
    const content = digestOfAll(gathered)
    if (this.#stopped || content === this.#content) return
    this.#content = content
    const routes = routesOf(this.#path, gathered)
    if (routes.ok) this.#deps.onRoutes(routes.value)
    else this.#deps.onFaults(routes.error)
  }
}

/** A text that was read, and the PEM files that it names, as they are written. */
interface NamingText {
  readonly textDigest: string
  readonly pemPaths: readonly string[]
}

const NOTHING_READ: NamingText = { textDigest: '', pemPaths: [] }

/** All that a file of routes is made of, read once. */
interface Gathered extends NamingText {
  readonly text: Result<string, readonly string[]>
  /** `undefined` where there is no text, or none that is new. */
  readonly tree: Result<YamlNode, FileFault> | undefined
  readonly pems: PemFiles
}

/** A text that is `last` is not parsed again to know what it names. */
async function gather(path: string, last: NamingText): Promise<Gathered> {
  const text = await readText(path)
  const textDigest = digestOf(JSON.stringify(text))
  const isLast = textDigest === last.textDigest
  const tree = text.ok && !isLast ? parseYaml(text.value) : undefined
  const named = tree?.ok === true ? pemPathsIn(tree.value) : []
  const pems = await readPemFiles(path, isLast ? last.pemPaths : named)
  return { text, textDigest, tree, pemPaths: [...pems.keys()], pems }
}

function digestOfAll({ textDigest, pems }: Gathered): string {
  return digestOf(JSON.stringify([textDigest, [...pems]]))
}

function routesOf(path: string, { text, tree: known, pems }: Gathered): Result<RouteFile, readonly string[]> {
  if (!text.ok) return text
  const tree = known ?? parseYaml(text.value)
  const read = tree.ok ? readRouteTree(basename(path), tree.value, pems) : err([tree.error])
  const faults = read.ok ? checkRouteFile(read.value) : read.error
  if (read.ok && faults.length === 0) return ok(read.value.file)
  return err(linesOf(path, faults))
}

function linesOf(path: string, faults: readonly FileFault[]): readonly string[] {
  const lines = faults.slice(0, MAX_TOLD).map((fault) => formatFileFault(path, fault))
  const left = faults.length - lines.length
  return left > 0 ? [...lines, `${path}: and ${left} more`] : lines
}

async function readText(path: string): Promise<Result<string, readonly string[]>> {
  try {
    const { size } = await stat(path)
    if (size > MAX_FILE_BYTES) return err([`${path}: has ${size} bytes; at most ${MAX_FILE_BYTES} are read`])
    return ok(new TextDecoder('utf-8', { fatal: true }).decode(await readFile(path)))
  } catch (thrown) {
    return err([`${path}: cannot be read: ${messageOf(thrown)}`])
  }
}

async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = await stat(path, { bigint: true })
    return [dev, ino, size, mtimeNs, ctimeNs].join(' ')
  } catch (thrown) {
    return messageOf(thrown)
  }
}
