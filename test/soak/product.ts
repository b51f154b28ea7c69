// The product as the soak runs it: a process of its own that serves a routes file, with a probe in every thread.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import type { RoutesDocument } from '../builders/random-site.ts'
import { type ProcessFigures, processFigures } from '../process/process-figures.ts'
import { RamjetProcess } from '../process/ramjet-process.ts'
import type { Probe } from './probe.ts'

const WORKERS = 2
const SERVED_WITHIN_MS = 45_000
const LOOK_MS = 5
const LAST_LINES = 10

/** What one look at the process saw. */
export interface ProductFigures extends ProcessFigures {
  readonly generation: number
  /** Of every thread, in order of their names; empty until all have written. */
  readonly probes: readonly Probe[]
}

export class Product {
  readonly #dir: string
  readonly #file: string
  readonly #process: RamjetProcess
  #adminRoutes = ''
  #port = 0
  #generation = 0

  static async start(routes: RoutesDocument): Promise<Product> {
    const product = new Product(routes)
    await product.#serve()
    return product
  }

  private constructor(routes: RoutesDocument) {
    this.#dir = mkdtempSync(join(tmpdir(), 'ramjet-soak-'))
    this.#file = join(this.#dir, 'routes.yaml')
    this.#write(routes)
    const places = ['--http', '127.0.0.1:0', '--admin', '127.0.0.1:0', '--workers', String(WORKERS)]
    this.#process = new RamjetProcess(
      [
        '--static-routes',
        this.#file,
        ...places,
        '--shutdown-delay',
        '0',
        '--log-level',
        'info,audit=warn,manifests=warn,compile=error',
      ],
      {
        env: { SOAK_PROBE_DIR: this.#dir },
        nodeArgs: ['--expose-gc', '--import', pathToFileURL(join(import.meta.dirname, 'probe.ts')).href],
      },
    )
  }

  /** Of its listener. */
  get port(): number {
    return this.#port
  }

  /** Resolves when every worker serves `routes`, which must differ from what is served. */
  async edit(routes: RoutesDocument): Promise<void> {
    this.#write(routes)
    this.#process.signal('SIGHUP')
    const deadline = performance.now() + SERVED_WITHIN_MS
    const before = this.#generation
    while ((await this.#askGeneration()) === before) {
      if (performance.now() > deadline) throw new Error(`no new generation within ${SERVED_WITHIN_MS} ms of an edit`)
      await sleep(LOOK_MS)
    }
  }

  look(): ProductFigures {
    const names = ['main', ...Array.from({ length: WORKERS }, (_none, index) => `worker-${index}`)]
    return {
      ...processFigures(this.#process.pid),
      generation: this.#generation,
      probes: names.flatMap((name) => this.#probe(name)),
    }
  }

  /** SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | string> {
    this.#process.signal('SIGTERM')
    const code = await this.#process.ended
    rmSync(this.#dir, { recursive: true })
    return code
  }

  /** The last lines that it wrote, for an end that was not expected. */
  get lastLines(): readonly string[] {
    return this.#process.stderr.trimEnd().split('\n').slice(-LAST_LINES)
  }

  async #serve(): Promise<void> {
    const banner = await this.#process.logged('ramjet')
    const [http = ''] = banner['http'] as string[]
    this.#port = Number(http.split(':').at(-1))
    this.#adminRoutes = String(banner['admin']).split(' ')[0] ?? ''
    await this.#askGeneration()
  }

  async #askGeneration(): Promise<number> {
    const answer = await fetch(`${this.#adminRoutes}?limit=1`)
    const { generation } = (await answer.json()) as { readonly generation: number }
    this.#generation = generation
    return generation
  }

  // In one step, so that nobody reads half of it.
  #write(routes: RoutesDocument): void {
    writeFileSync(`${this.#file}.new`, JSON.stringify(routes))
    renameSync(`${this.#file}.new`, this.#file)
  }

  #probe(name: string): readonly Probe[] {
    try {
      return [JSON.parse(readFileSync(join(this.#dir, `${name}.json`), 'utf8')) as Probe]
    } catch {
      return []
    }
  }
}
