// What the banner shows of a process that listens.
import type { AdminServer } from '../admin/api.ts'
import type { DataPlane } from '../dataplane/data-plane.ts'
import type { BannerFacts } from '../observability/banner.ts'
import { formatListenAddress, formatReachable } from '../settings/address.ts'
import type { AppOptions } from './app-options.ts'

const NOT_BUILT = 'disabled (not in this build)'
/** What somebody might count on; flags, fields and annotations are refused by name where they stand (R20-187). */
const REFUSED = ['TLS', 'HTTP/2', 'snippets']

/** The two that listen. */
export interface Listening {
  readonly dataPlane: DataPlane
  readonly admin: AdminServer
}

/** The facts of the banner, once both parts are bound (R20-24). */
export function bannerFacts(
  { settings, version, nodeVersion }: AppOptions,
  { dataPlane, admin: adminServer }: Listening,
  origin: Pick<BannerFacts, 'file' | 'cluster'>,
): BannerFacts {
  const admin = adminServer.address()
  return {
    ...origin,
    version,
    nodeVersion,
    mode: origin.file === undefined ? 'cluster' : 'static',
    engine: settings.dataPlane.engine,
    transport: dataPlane.transport(),
    workers: settings.dataPlane.workers,
    http: dataPlane.listeners().map(formatListenAddress),
    https: NOT_BUILT,
    http3: NOT_BUILT,
    admin: admin && formatReachable(admin),
    refused: settings.kubernetes.allowExternalName ? REFUSED : [...REFUSED, 'ExternalName (--allow-external-name)'],
  }
}
