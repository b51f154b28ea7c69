// Whether a request may be answered on the connection that it came by: the handshake was for a name (R21-22, R22-7).
import { digestOfPolicy, type ServerName } from '../model/certificate-table.ts'
import { matchServerName } from './match-server-name.ts'

/** What a handshake agreed on. */
export interface Handshake {
  /** In the one form; `undefined`: none. */
  readonly serverName: string | undefined
  /** `digestOfPolicy` of what it was held to. */
  readonly policyDigest: string
  /** Whether several hosts may share the connection: then another certificate counts as well. */
  readonly isHttp2: boolean
}

/** `host`: it is for another connection. `connection`: this connection is for nobody any more. */
export type Misdirection = 'none' | 'host' | 'connection'

/** What `names`, which serve now, say of a request for `host`, in its one form. */
export function misdirectionOf(
  names: ReadonlyMap<string, ServerName>,
  { serverName, policyDigest, isHttp2 }: Handshake,
  host: string,
): Misdirection {
  const own = matchServerName(names, serverName)
  const isCurrent = digestOfPolicy(own?.policy ?? {}) === policyDigest
  // A host that falls to the default certificate under its own server name is served.
  if (host === serverName) return isCurrent ? 'none' : 'connection'
  const wanted = matchServerName(names, host)
  const isSameClients = isCurrent
    ? clientsOf(own) === clientsOf(wanted)
    : digestOfPolicy(wanted?.policy ?? {}) === policyDigest
  if (!isSameClients) return 'host'
  return !isHttp2 || isSameList(own?.certificates, wanted?.certificates) ? 'none' : 'host'
}

/** What is demanded of clients: ciphers alone make no other connection necessary. */
function clientsOf(name: ServerName | undefined): string {
  const client = name?.policy.client
  return digestOfPolicy(client ? { client } : {})
}

function isSameList(one: readonly string[] = [], other: readonly string[] = []): boolean {
  return one.length === other.length && one.every((handle) => other.includes(handle))
}
