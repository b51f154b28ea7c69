#!/usr/bin/env node
// Words of the command line -> a running process, and its end. The only file that may call process.exit.
import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import type { App } from './app.ts'
import { runGenerations } from './cli/generations.ts'
import { runRollback } from './cli/rollback.ts'
import type { ExitCode, VerbDeps } from './cli/verb.ts'
import { DEFAULT_TUNABLES } from './controllers/tunables.ts'
import { messageOf, RamjetError } from './lib/errors.ts'
import { type BannerFacts, bannerFields, bannerText } from './observability/banner.ts'
import { createLogger, type Logger } from './observability/log.ts'
import { LogOutput } from './observability/log-output.ts'
import { watchProcess } from './observability/process-metrics.ts'
import { systemClock, systemTimers } from './runtime/system-time.ts'
import { helpText } from './settings/help.ts'
import { type Request, readSettings } from './settings/parse.ts'
import { runtimeFault } from './settings/runtime-gate.ts'
import type { Settings } from './settings/settings.ts'

const SIGNALS = { SIGTERM: 15, SIGINT: 2 } as const

/** Verbs beside `run` that this build has. */
const VERBS: ReadonlyMap<string, (words: readonly string[], deps: VerbDeps) => Promise<ExitCode>> = new Map([
  ['generations', runGenerations],
  ['rollback', runRollback],
])

function main(): void {
  const fault = runtimeFault(process.versions.node)
  const [word = '', ...words] = process.argv.slice(2)
  const verb = VERBS.get(word)
  if (fault !== undefined) refuse([fault])
  else if (verb) void runVerb(verb(words, verbDeps()))
  else run()
}

async function runVerb(running: Promise<ExitCode>): Promise<void> {
  // Whoever reads may have gone; the exit code tells all the same.
  process.stdout.on('error', () => undefined)
  // Until the verb says more: where nothing is waited for any longer, the process ends without an answer.
  process.exitCode = 1
  process.exitCode = await running
}

function verbDeps(): VerbDeps {
  return {
    out: (text) => process.stdout.write(text),
    err: (text) => process.stderr.write(text),
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    colour: (process.env['NO_COLOR'] ?? '') === '',
    version: versionText(),
    timers: systemTimers,
  }
}

function run(): void {
  const request = readSettings(process.argv.slice(2), process.env, availableParallelism())
  if (request.ok) answer(request.value)
  else refuse(request.error)
}

function answer(request: Request): void {
  switch (request.kind) {
    case 'help':
      process.stdout.write(helpText())
      break
    case 'version':
      process.stdout.write(versionText())
      break
    case 'run':
      void start(request)
      break
  }
}

/** The program is loaded for this alone: a verb needs none of it, and a Node that will not do cannot read all of it. */
async function start(request: RunRequest): Promise<void> {
  const program = await import('./app.ts')
  await new Run(request, program.App).start()
}

/** One line each on stderr, and exit code 1 (R33-7). */
function refuse(lines: readonly string[]): void {
  for (const line of lines) process.stderr.write(`ramjet: ${line}\n`)
  process.exitCode = 1
}

function versionText(): string {
  return `ramjet ${version()} (node ${process.versions.node})\n`
}

function version(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
  const found =
    typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : undefined
  return typeof found === 'string' ? found : 'unknown'
}

type RunRequest = Extract<Request, { readonly kind: 'run' }>

/** The app and what the process itself is told: signals, faults that nobody caught, its end. */
class Run {
  readonly #settings: Settings
  readonly #warnings: readonly string[]
  readonly #output = new LogOutput((dropped) => this.#log.warn({ dropped }, 'log lines were dropped'))
  readonly #log: Logger
  readonly #app: App
  #isEnding = false

  constructor({ settings, effective, warnings }: RunRequest, Program: typeof App) {
    this.#settings = settings
    this.#warnings = warnings
    this.#log = createLogger(settings.log, this.#output)
    this.#app = new Program(
      {
        settings,
        effective,
        version: version(),
        nodeVersion: process.versions.node,
        env: process.env,
        tunables: DEFAULT_TUNABLES,
      },
      {
        clock: systemClock,
        timers: systemTimers,
        random: Math.random,
        log: this.#log,
        announce: (facts) => this.#announce(facts),
        processFamilies: watchProcess(),
        onFatal: (error) => {
          this.#log.error({ err: error }, 'the data plane is lost')
          this.#exit(1)
        },
      },
    )
  }

  async start(): Promise<void> {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => this.#signalled(signal))
    process.on('SIGHUP', () => this.#app.reload())
    process.on('uncaughtException', (error) => this.#failed(error, 'a fault that nobody caught'))
    process.on('unhandledRejection', (reason) => this.#failed(reason, 'a rejection that nobody handled'))
    try {
      await this.#app.start()
    } catch (error) {
      if (!(error instanceof RamjetError)) return this.#failed(error, 'start failed')
      refuse(error.message.split('\n'))
      this.#exit(1)
    }
  }

  #announce(facts: BannerFacts): void {
    this.#output.begin(() => {
      if (this.#settings.log.format === 'pretty') this.#output.write(bannerText(facts))
      else this.#log.info(bannerFields(facts), 'ramjet')
    })
    for (const warning of this.#warnings) this.#log.warn({ warning }, 'environment')
  }

  #signalled(signal: keyof typeof SIGNALS): void {
    // Whoever asks a second time does not want to wait (R20-170).
    if (this.#isEnding) this.#exit(128 + SIGNALS[signal])
    this.#log.info({ signal }, 'told to end')
    this.#end(0)
  }

  #failed(error: unknown, message: string): void {
    this.#log.error({ err: error instanceof Error ? error : new Error(messageOf(error)) }, message)
    if (!this.#isEnding) this.#end(1)
  }

  #end(code: number): void {
    this.#isEnding = true
    this.#app.shutdown().then(
      () => this.#exit(code),
      (error: unknown) => {
        this.#log.error({ err: error }, 'shutdown failed')
        this.#exit(1)
      },
    )
  }

  #exit(code: number): never {
    this.#output.flush()
    process.exit(code)
  }
}

// A Node before 24.2 does not say: it goes on to be told that it will not do, and does not end without a word.
function isImported({ main: isMain }: { readonly main?: boolean }): boolean {
  return isMain === false
}

if (!isImported(import.meta)) main()
