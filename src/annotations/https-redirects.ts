// Whether a client that came by http is sent to https (R11-50, R11-51, R11-57, R11-58).

import type { AnnotationReader } from './annotation-reader.ts'
import { NGINX_PREFIX } from './registry.ts'
import { readBool } from './values.ts'

/** `with-tls`: where its host has TLS. */
export type HttpsDemand = 'always' | 'with-tls'

export const SSL_REDIRECT: string = `${NGINX_PREFIX}ssl-redirect`
export const FORCE_SSL_REDIRECT: string = `${NGINX_PREFIX}force-ssl-redirect`

const ACME_PATH = '/.well-known/acme-challenge'

/** `undefined`: nobody is sent anywhere. */
export function readHttpsDemand(reader: AnnotationReader): HttpsDemand | undefined {
  const [withTls, always] = [reader.read(SSL_REDIRECT, readBool), reader.read(FORCE_SSL_REDIRECT, readBool)]
  if (always === true) return 'always'
  return withTls === true ? 'with-tls' : undefined
}

/**
 * Whether a route is there for the challenges by which a certificate is got. Its own path decides, and never that of a
 * request, so that a guarded `/` does not open.
 */
export function isForChallenges(
  path: string,
  route: { readonly isLiteral: boolean; readonly rewrites: boolean },
): boolean {
  return route.isLiteral && !route.rewrites && path.startsWith(ACME_PATH)
}
