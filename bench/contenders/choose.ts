import { Unavailable } from '../../hack/unavailable.ts'
import type { FigureTable } from '../bench.ts'
import { CADDY } from './caddy.ts'
import type { Contender } from './contender.ts'
import { ENVOY } from './envoy.ts'
import { HAPROXY } from './haproxy.ts'
import { NGINX } from './nginx.ts'
import { HTTP_PROXY_3, NODE_UNDICI } from './node-proxies.ts'
import { ramjet } from './ramjet.ts'
import { TRAEFIK } from './traefik.ts'

/** Our own engines and transports. */
export const OWN: readonly Contender[] = [ramjet('wire', 'handle'), ramjet('wire', 'public'), ramjet('standard')]

/** The programs of others. */
export const PEERS: readonly Contender[] = [NGINX, HAPROXY]

/** And those of this year that are measured by `forward` alone (R60-48). */
export const MORE_PEERS: readonly Contender[] = [ENVOY, TRAEFIK, CADDY, NODE_UNDICI, HTTP_PROXY_3]

/** Name and version of each contender. */
export type Versions = readonly (readonly [name: string, version: string])[]

export interface Chosen {
  readonly contenders: readonly Contender[]
  readonly versions: Versions
}

/** The table that every result begins with (R60-8). */
export function contendersTable(versions: Versions): FigureTable {
  return { title: 'Contenders', heads: ['name', 'version'], rows: versions }
}

/**
 * Our own, and of the peers those in `against` (all where it is empty) that are installed; the others are named to
 * `progress` (R60-9). Throws for a name that is no peer's: a run without its peer is none.
 */
export function chooseContenders(
  peers: readonly Contender[],
  against: readonly string[],
  progress: (line: string) => void,
  own: readonly Contender[] = OWN,
): Chosen {
  const unknown = against.filter((name) => !peers.some((peer) => peer.name === name))
  const known = peers.map(({ name }) => name).join(', ')
  if (unknown.length > 0) throw new Unavailable(`no peer here is called ${unknown.join(', ')}; there are ${known}`)
  const wanted = peers.filter(({ name }) => against.length === 0 || against.includes(name))
  const chosen: Contender[] = []
  const versions: (readonly [string, string])[] = []
  for (const contender of [...wanted, ...own]) {
    const version = contender.version()
    if (version === undefined) {
      progress(`${contender.name} is not installed and is left out; hack/install-peers.sh installs it`)
      continue
    }
    chosen.push(contender)
    versions.push([contender.name, version])
  }
  return { contenders: chosen, versions }
}
