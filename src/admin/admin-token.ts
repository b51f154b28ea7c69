import { createHash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { messageOf, RamjetError } from '../lib/errors.ts'
import type { Logger } from '../observability/log.ts'

/** The file of `--admin-token-file` cannot be read, or holds nothing. */
export class AdminTokenError extends RamjetError {
  readonly code = 'RAMJET_ADMIN_TOKEN'

  constructor(path: string, problem: string, cause?: unknown) {
    super(`--admin-token-file: ${path} ${problem}`, { cause, context: { path } })
  }
}

/** The token of the admin API (R32-4). Its file is read again for each request that needs it, so a new one holds at once. */
export class AdminToken {
  readonly #path: string
  readonly #log: Logger
  #token = ''
  /** What was logged last, so that each fault is logged once. */
  #fault: string | undefined

  constructor(path: string, log: Logger) {
    this.#path = path
    this.#log = log
  }

  /** Reads the file for the first time. Throws `AdminTokenError` when there is no token in it. */
  async load(): Promise<void> {
    const fault = this.#take(await this.#read())
    if (fault !== undefined) throw new AdminTokenError(this.#path, fault)
  }

  /** The token as it stands in the file; the last one while there is none. */
  async current(): Promise<string> {
    const fault = await this.#read().then(
      (token) => this.#take(token),
      (error: unknown) => messageOf(error),
    )
    if (fault !== undefined && fault !== this.#fault) {
      this.#log.error({ path: this.#path, fault }, 'no token in the file; the one before holds on')
    }
    this.#fault = fault
    return this.#token
  }

  /** Whether the value of `Authorization` carries the token; takes the same time whatever it carries (R70-39). */
  async isCarriedBy(authorization: string | undefined): Promise<boolean> {
    const [, given] = /^Bearer +(\S+) *$/i.exec(authorization ?? '') ?? []
    const token = await this.current()
    return timingSafeEqual(digestOf(given ?? ''), digestOf(token)) && given !== undefined
  }

  #take(token: string): string | undefined {
    if (token === '') return 'holds no token'
    // Nobody could send it.
    if (!/^[\x21-\x7e]+$/.test(token)) return 'holds a token with a blank or something else than visible ASCII'
    this.#token = token
    return undefined
  }

  async #read(): Promise<string> {
    try {
      return (await readFile(this.#path, 'utf8')).trimEnd()
    } catch (error) {
      throw new AdminTokenError(this.#path, `cannot be read: ${messageOf(error)}`, error)
    }
  }
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
