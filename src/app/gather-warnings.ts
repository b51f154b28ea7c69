// What there is to be told at one instant, from everyone who finds something.
import { ownClasses } from '../compiler/own-classes.ts'
import type { CompileResult } from '../compiler/result.ts'
import { configWarnings } from '../controllers/config-warnings.ts'
import type { Warning } from '../model/warning.ts'
import { proxyHeaderWarnings } from '../observability/proxy-header-warnings.ts'
import type { TrailWatch } from '../observability/trail-watch.ts'
import type { Settings } from '../settings/settings.ts'
import type { Parts } from './parts.ts'

export interface WarningSources extends Pick<Parts, 'cluster' | 'config' | 'expiry'> {
  /** `undefined`: nothing was compiled yet. */
  readonly lastCompiled: () => CompileResult | undefined
  readonly trailWatch: TrailWatch
  readonly proxyProtocol: Settings['dataPlane']['proxyProtocol']
}

/** All current warnings. */
export function gatherWarnings(sources: WarningSources): readonly Warning[] {
  const { cluster, config, expiry, trailWatch, proxyProtocol } = sources
  const compiled = sources.lastCompiled()
  return [
    ...(compiled?.warnings ?? []),
    ...(cluster()?.source.warnings() ?? []),
    ...trailWatch.warnings(),
    ...expiry.warnings(),
    ...proxyHeaderWarnings(proxyProtocol),
    ...configWarnings(config()?.status().faults ?? [], compiled ? ownClasses(compiled) : []),
    ...(cluster()?.writer.warnings() ?? []),
  ]
}
