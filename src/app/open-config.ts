// The operator's configuration, from the first reading on.
import { formatConfigFault } from '../manifests/config-faults.ts'
import { variablesOf } from '../manifests/expand-variables.ts'
import type { OperatorConfig } from '../manifests/operator-config.ts'
import { OperatorConfigWatch } from '../manifests/operator-config-watch.ts'
import type { AppDeps, AppOptions } from './app-options.ts'

/** Each is a line of the log. */
const MAX_TOLD = 20

export interface ConfigListener {
  /** Takes each good reading, the first one too. */
  readonly onConfig: (config: OperatorConfig) => void
  /** Told when what is refused changed. */
  readonly onFaults: () => void
}

/** What `--config` names, read now and whenever it changes; what was good last stays (R42-8, R42-9). `undefined`: nothing. */
export async function openConfig(
  { settings, env, tunables }: AppOptions,
  { clock, timers, log: root }: AppDeps,
  listener: ConfigListener,
): Promise<OperatorConfigWatch | undefined> {
  if (settings.config === undefined) return undefined
  const log = root.child('config')
  const take = (config: OperatorConfig): void => {
    for (const overwrite of config.overwrites.slice(0, MAX_TOLD))
      log.info({ ...overwrite }, 'one file overwrites another')
    const left = config.overwrites.length - MAX_TOLD
    if (left > 0) log.info({ left }, 'and more of them')
    log.info({ values: config.values.length }, 'configuration read')
    listener.onConfig(config)
  }
  const watch = new OperatorConfigWatch(settings.config, {
    pollMs: tunables.configPollMs,
    lookUp: variablesOf(env),
    clock,
    timers,
    onConfig: take,
    onFaults: (faults) => {
      for (const fault of faults)
        log.error({ fault: formatConfigFault(fault) }, 'configuration refused; the last good one stays')
      listener.onFaults()
    },
  })
  take(await watch.start())
  return watch
}
