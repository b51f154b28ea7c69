import { createDataPlane } from '../../src/dataplane/data-plane.ts'
import type { DataPlaneSettings } from '../../src/dataplane/data-plane-settings.ts'
import type { Pair } from '../../src/model/generation.ts'
import { createLogger } from '../../src/observability/log.ts'
import { systemClock, systemTimers } from '../../src/runtime/system-time.ts'
import { ENGINE_SETTINGS } from '../../test/builders/engine-settings.ts'

/** Publishes a pair and resolves when every worker serves it; a refusal is an error of the benchmark. */
export type Publish = (pair: Pair) => Promise<void>

/** Runs `work` beside a data plane of `workers` threads on a free loopback port, and ends it. */
export async function withDataPlane<T>(workers: number, work: (publish: Publish) => Promise<T>): Promise<T> {
  const log = createLogger({ format: 'pretty', level: 'warn', targets: new Map() }, process.stderr)
  const dataPlane = createDataPlane(settingsFor(workers), {
    clock: systemClock,
    timers: systemTimers,
    log,
    onFatal: (error) => {
      throw error
    },
  })
  await dataPlane.start()
  try {
    return await work(async (pair) => {
      const outcome = await dataPlane.apply(pair)
      if (outcome.kind === 'refused') throw new Error(`a pair was refused: ${outcome.message}`)
    })
  } finally {
    await dataPlane.stop()
  }
}

function settingsFor(workers: number): DataPlaneSettings {
  return {
    http: [{ host: '127.0.0.1', port: 0 }],
    workers,
    engine: 'standard',
    engineSettings: ENGINE_SETTINGS,
  }
}
