import { readFileSync } from 'node:fs'

/** One line of an API server's audit log, as far as tests look at it. */
export interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly requestReceivedTimestamp: string
  readonly user: { readonly username: string }
  readonly responseStatus?: { readonly code: number }
  readonly annotations?: Readonly<Record<string, string>>
}

/** The events whose line has one of `words` in it, oldest first. */
export function auditEvents(auditLog: string, words: readonly string[]): readonly AuditEvent[] {
  const text = readFileSync(auditLog, 'utf8')
  // What follows the last end of a line is one that the server is about to write.
  const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n')
  // Most of the log is about others, and reading it takes its time.
  return lines.filter((line) => words.some((word) => line.includes(word))).map((line) => JSON.parse(line) as AuditEvent)
}

/** What the API server answered to `user`, each as `CODE VERB PATH`, oldest first. A watch is there once it began. */
export function answersTo(auditLog: string, user: string): string[] {
  return eventsOf(auditLog, user).map(described)
}

/**
 * The requests of `user` that its rights did not allow. A namespace that is being deleted answers 403 as well, to
 * whoever may write there: that is none of them, and any test that removes its namespace can bring it about.
 */
export function refusalsOf(auditLog: string, user: string): string[] {
  return eventsOf(auditLog, user)
    .filter(
      ({ responseStatus, annotations }) =>
        responseStatus?.code === 401 || annotations?.['authorization.k8s.io/decision'] === 'forbid',
    )
    .map(described)
}

function eventsOf(auditLog: string, user: string): readonly AuditEvent[] {
  return auditEvents(auditLog, [user]).filter((event) => event.user.username === user)
}

function described({ verb, requestURI, responseStatus }: AuditEvent): string {
  return `${responseStatus?.code} ${verb} ${requestURI}`
}
