import type { Clock } from '../lib/clock.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import { type AuditRecord, auditDocument, auditFields } from './audit-record.ts'
import { AuditWebhook } from './audit-webhook.ts'
import { type ClassEvent, ClassEvents } from './class-events.ts'

export interface AuditTrailDeps {
  readonly clock: Clock
  readonly timers: Timers
  /** The logger of target `audit`. */
  readonly log: Logger
  /** Name of this pod. */
  readonly replica: string
  /** `--audit-webhook`; `undefined`: none. */
  readonly webhookUrl: string | undefined
  /** `ramjet/VERSION`. */
  readonly userAgent: string
  /** Takes Events about our classes. */
  readonly classEvent: (event: ClassEvent) => void
  /** Between two `ConfigApplied`. */
  readonly appliedMs: number
  /** In which the webhook must have answered. */
  readonly webhookMs: number
}

/** Hands every record to each of its readers: log, webhook, Events on our classes (R30-22). */
export class AuditTrail {
  readonly #deps: AuditTrailDeps
  readonly #webhook: AuditWebhook | undefined
  readonly #classEvents: ClassEvents

  constructor(deps: AuditTrailDeps) {
    const { clock, timers, log, webhookUrl: url, userAgent, classEvent, appliedMs, webhookMs } = deps
    this.#deps = deps
    this.#webhook =
      url === undefined ? undefined : new AuditWebhook({ url, userAgent, timers, log, answerMs: webhookMs })
    this.#classEvents = new ClassEvents({ clock, timers, emit: classEvent, appliedMs })
  }

  /** Records that did not reach the webhook. */
  get webhookFailures(): number {
    return this.#webhook?.failures ?? 0
  }

  record(record: AuditRecord): void {
    const { clock, log, replica } = this.#deps
    log.info(auditFields(record), messageOf(record))
    this.#classEvents.record(record)
    const time = new Date(clock.wallMs()).toISOString()
    this.#webhook?.post({ version: 1, time, replica, digest: record.digest, ...auditDocument(record) })
  }

  /** Gives up what was not told yet. */
  stop(): void {
    this.#webhook?.stop()
    this.#classEvents.stop()
  }
}

function messageOf({ event, published }: AuditRecord): string {
  switch (event) {
    case 'config':
      return published ? 'published' : 'held back by a pin'
    case 'pin':
      return 'pinned'
    case 'resume':
      return 'released'
    case 'rejected':
      return 'rejected'
  }
}
