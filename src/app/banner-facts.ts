// What the banner shows of a process that listens.
import type { AdminServer } from '../admin/api.ts'
import type { DataPlane } from '../dataplane/data-plane.ts'
import type { BannerFacts } from '../observability/banner.ts'
import { formatListenAddress, formatReachable } from '../settings/address.ts'
import type { Settings } from '../settings/settings.ts'
import type { AppOptions } from './app-options.ts'

const NOT_BUILT = 'disabled (not in this build)'
/** What somebody might count on; flags, fields and annotations are refused by name where they stand (R20-187). */
const REFUSED = ['snippets (not in this build)']

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
    http: httpOf(dataPlane),
    https: httpsOf(dataPlane, settings.dataPlane),
    http3: NOT_BUILT,
    admin: admin && formatReachable(admin),
    refused: settings.kubernetes.allowExternalName ? REFUSED : [...REFUSED, 'ExternalName (--allow-external-name)'],
  }
}

function httpOf(dataPlane: DataPlane): BannerFacts['http'] {
  const bound = dataPlane.listeners().filter(({ secure }) => !secure)
  return bound.length > 0 ? bound.map(formatListenAddress) : 'disabled (--no-http)'
}

/** Bound in any case but these two (R20-20). */
function httpsOf(dataPlane: DataPlane, { https }: Settings['dataPlane']): BannerFacts['https'] {
  const bound = dataPlane.listeners().filter(({ secure }) => secure)
  if (bound.length > 0) return bound.map(formatListenAddress)
  return https.length === 0 ? 'disabled (--no-https)' : 'disabled (no certificate in the file)'
}
