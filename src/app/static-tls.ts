// When a static install listens for TLS: what is bound is bound at start (R20-20).
import type { RouteFile } from '../compiler/snapshot.ts'
import { countsOf } from '../manifests/route-file.ts'
import type { Logger } from '../observability/log.ts'
import type { Settings } from '../settings/settings.ts'
import type { Source } from './open-source.ts'

type HttpsSettings = Pick<Settings['dataPlane'], 'https' | 'isHttpsGiven'>

/** Whether TLS is of no use and nobody asked for it: a file without a certificate. */
export function startsWithoutTls(source: Source, { isHttpsGiven }: HttpsSettings): boolean {
  return source.kind === 'file' && !isHttpsGiven && countsOf(source.file).certificates === 0
}

/** Tells of certificates that came into the file when nothing was bound for them. */
export function warnOfLateCertificates(
  file: RouteFile,
  { https }: HttpsSettings,
  { isBound, log }: { readonly isBound: boolean; readonly log: Logger },
): void {
  if (https.length === 0 || isBound || countsOf(file).certificates === 0) return
  const message = 'the file has certificates now and nothing listens for TLS; restart, or give --https from the start'
  log.warn({ file: file.name }, message)
}
