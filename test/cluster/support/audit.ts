import { readFileSync } from 'node:fs'

interface AuditEvent {
  readonly verb: string
  readonly requestURI: string
  readonly user: { readonly username: string }
  readonly responseStatus?: { readonly code: number }
}

/** What the API server answered to `user`, each as `CODE VERB PATH`, oldest first. A watch is there once it began. */
export function answersTo(auditLog: string, user: string): string[] {
  const lines = readFileSync(auditLog, 'utf8').split('\n')
  // Most of the log is about others, and reading it takes its time.
  const events = lines.filter((line) => line.includes(user)).map((line) => JSON.parse(line) as AuditEvent)
  return events
    .filter((event) => event.user.username === user)
    .map(({ verb, requestURI, responseStatus }) => `${responseStatus?.code} ${verb} ${requestURI}`)
}

/** The answers to `user` that were 401 or 403. */
export function refusalsOf(auditLog: string, user: string): string[] {
  return answersTo(auditLog, user).filter((line) => /^40[13] /.test(line))
}
