// The audit trail, joined to log, webhook and the Events of our classes.
import { AuditTrail } from '../generations/audit-trail.ts'
import type { AppDeps, AppOptions } from './app-options.ts'
import type { Parts } from './parts.ts'

/** The trail of this process, whose name as a replica is `replica`. */
export function createAudit(
  { settings, version, tunables }: AppOptions,
  { clock, timers, log }: AppDeps,
  { replica, cluster }: Pick<Parts, 'replica' | 'cluster'>,
): AuditTrail {
  return new AuditTrail({
    clock,
    timers,
    log: log.child('audit'),
    replica,
    webhookUrl: settings.auditWebhook,
    userAgent: `ramjet/${version}`,
    appliedMs: tunables.configAppliedMs,
    webhookMs: tunables.webhookMs,
    classEvent: (event) => cluster()?.writer.classEvent(event),
  })
}
