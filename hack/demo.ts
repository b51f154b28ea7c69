// `npm run demo`: Ramjet in static mode over examples/dev-routes.yaml, with an echo server on every address of the file.
// `npm run demo -- FILE --http ADDR --https ADDR --admin ADDR` takes another file and other places.
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { messageOf } from '../src/lib/errors.ts'
import { readRouteFile } from '../src/manifests/static-routes.ts'
import { type Echo, startEcho } from './demo-echo.ts'
import { runScript, Unavailable } from './unavailable.ts'

const ROOT = join(import.meta.dirname, '..')
const MAIN = join(ROOT, 'src', 'main.ts')
/** The addresses that the curl lines of the example name. */
const SHOWN = { http: '127.0.0.1:8080', https: '127.0.0.1:8443' } as const
const READY_EVERY_MS = 50

interface Plan {
  readonly file: string
  readonly http: string
  readonly https: string
  readonly admin: string
}

function planOf(argv: readonly string[]): Plan {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      http: { type: 'string', default: SHOWN.http },
      https: { type: 'string', default: SHOWN.https },
      admin: { type: 'string', default: '127.0.0.1:10254' },
    },
  })
  const [file = join(ROOT, 'examples', 'dev-routes.yaml')] = positionals
  return { file: relative(process.cwd(), file) || file, ...values }
}

async function startEchoes(file: string): Promise<readonly Echo[]> {
  const routes = await readRouteFile(file)
  if (!routes.ok) throw new Unavailable(routes.error.join('\n'))
  const addresses = routes.value.backends.flatMap(({ name, protocol, endpoints }) =>
    endpoints.map(({ host, port }) => ({ backend: name, isHttp2: protocol === 'h2c', host, port })),
  )
  return Promise.all(
    addresses.map((address) =>
      startEcho(address).catch((error: unknown) => {
        throw new Unavailable(`the echo server of ${address.backend} cannot start: ${messageOf(error)}`)
      }),
    ),
  )
}

function startRamjet({ file, http, https, admin }: Plan): ChildProcess {
  const places = ['--static-routes', file, '--http', http, '--https', https, '--self-signed-default', '--admin', admin]
  const manners = ['--workers', '2', '--log-format', 'pretty', '--shutdown-delay', '0']
  return spawn(process.execPath, [MAIN, ...places, ...manners], { stdio: 'inherit' })
}

/** The curl lines in the comments of the file, indented there as no sentence is, for the addresses that are served. */
function curlLines({ file, http, https }: Plan): readonly string[] {
  const lines = readFileSync(file, 'utf8').matchAll(/^ *# {2,}(curl .*)$/gm)
  return [...lines].map(([, line = '']) => line.replaceAll(SHOWN.http, http).replaceAll(SHOWN.https, https))
}

/** Prints what to try, once it can be tried. Polls, because readiness is something that is asked for. */
async function announce(plan: Plan, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const ready = await fetch(`http://${plan.admin}/readyz`, { signal }).then(
      ({ ok }) => ok,
      () => false,
    )
    if (ready) break
    await sleep(READY_EVERY_MS, undefined, { signal }).catch(() => {})
  }
  if (signal.aborted) return
  const lines = curlLines(plan).map((line) => `  ${line}\n`)
  console.log(`\nTry, in a second terminal:\n\n${lines.join('')}`)
  console.log(`Edit ${plan.file} and save it: the change is served within two seconds. Ctrl-C ends the demo.\n`)
}

async function main(): Promise<void> {
  const plan = planOf(process.argv.slice(2))
  const echoes = await startEchoes(plan.file)
  const ramjet = startRamjet(plan)
  const running = new AbortController()
  // A terminal's Ctrl-C reaches both of us; Ramjet drains, and then we end with it.
  process.on('SIGINT', () => {})
  process.on('SIGTERM', () => ramjet.kill('SIGTERM'))
  const announced = announce(plan, running.signal)
  process.exitCode = await new Promise<number>((resolve) => {
    ramjet.once('exit', (code) => resolve(code ?? 1))
  })
  running.abort()
  await announced
  for (const echo of echoes) echo.close()
}

if (import.meta.main) await runScript(main)
