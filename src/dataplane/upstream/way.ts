// How an endpoint is reached where that is not HTTP/1.1 in plaintext: what connections are kept apart by (R21-33).
import type { Backend } from '../../model/route-table.ts'
import type { BackendProtocol, UpstreamTls } from '../../model/upstream-tls.ts'

/** What is spoken, and by which identity. Equal ways of one pair and the next are one object, so pools go by it. */
export interface UpstreamWay {
  readonly protocol: BackendProtocol
  /** With `https` and `h2`. */
  readonly tls: UpstreamTls | undefined
}

/** The ways of a route table's backends by their names; a backend that is spoken to in plain HTTP/1.1 has none. */
export type UpstreamWays = ReadonlyMap<string, UpstreamWay>

/** Of a table whose backends are all spoken to in plain HTTP/1.1: most are. */
export const NO_WAYS: UpstreamWays = new Map()

/** The ways of `backends`; those that were among `before` stay the objects that they were. */
export function waysOf(backends: ReadonlyMap<string, Backend>, before: UpstreamWays): UpstreamWays {
  const ways = new Map<string, UpstreamWay>()
  const known = new Map([...before.values()].map((way) => [keyOf(way), way]))
  for (const backend of backends.values()) {
    const way = wayOf(backend)
    if (!way) continue
    const key = keyOf(way)
    const same = known.get(key) ?? way
    known.set(key, same)
    ways.set(backend.name, same)
  }
  return ways.size === 0 ? NO_WAYS : ways
}

/** The way to the endpoints of one backend; `undefined`: plain HTTP/1.1. */
export function wayOf({ protocol, tls }: Backend): UpstreamWay | undefined {
  return protocol && { protocol, tls: protocol === 'h2c' ? undefined : tls }
}

/** Whether it ends at HTTP/2, so that requests are streams. */
export function isHttp2(way: UpstreamWay): boolean {
  return way.protocol !== 'https'
}

function keyOf({ protocol, tls }: UpstreamWay): string {
  return `${protocol} ${tls?.digest ?? ''}`
}
