// `ramjet run`, composed with tunables of the test's choice: no flag reaches them (R50-53). TEST_TUNABLES holds them as
// JSON; all that is not named there has its default.
import { App } from '../../../src/app.ts'
import { DEFAULT_TUNABLES, type Tunables } from '../../../src/controllers/tunables.ts'
import { createLogger } from '../../../src/observability/log.ts'
import { LogOutput } from '../../../src/observability/log-output.ts'
import { watchProcess } from '../../../src/observability/process-metrics.ts'
import { systemClock, systemTimers } from '../../../src/runtime/system-time.ts'
import { readSettings } from '../../../src/settings/parse.ts'

async function main(): Promise<void> {
  const request = readSettings(process.argv.slice(2), process.env, 1)
  if (!request.ok || request.value.kind !== 'run') throw new Error(JSON.stringify(request))
  const { settings, effective } = request.value
  const output = new LogOutput(() => {})
  const app = new App(
    {
      settings,
      effective,
      version: 'test',
      nodeVersion: process.versions.node,
      env: process.env,
      tunables: tunables(),
    },
    {
      clock: systemClock,
      timers: systemTimers,
      random: Math.random,
      log: createLogger(settings.log, output),
      announce: () => output.begin(() => {}),
      processFamilies: watchProcess(),
      onFatal: () => process.exit(1),
    },
  )
  process.on('SIGHUP', () => app.reload())
  process.once('SIGTERM', () => {
    void app.shutdown().then(() => {
      output.flush()
      process.exit(0)
    })
  })
  await app.start()
}

function tunables(): Tunables {
  return { ...DEFAULT_TUNABLES, ...(JSON.parse(process.env['TEST_TUNABLES'] ?? '{}') as Partial<Tunables>) }
}

await main()
