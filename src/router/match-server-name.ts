// What a TLS client gets for the name that it asks for, with the precedence that the host has in routing (R21-8).
import { wildcardOver } from '../lib/host-name.ts'
import { DEFAULT_SERVER_NAME, type ServerName } from '../model/certificate-table.ts'

/**
 * The exact name, else the wildcard of one label, else the default. `name` is a host in its one form; `undefined`, and
 * whatever no host can be, gets the default. The result is `undefined` where there is none: such a handshake is refused.
 */
export function matchServerName(
  names: ReadonlyMap<string, ServerName>,
  name: string | undefined,
): ServerName | undefined {
  return named(names, name) ?? names.get(DEFAULT_SERVER_NAME)
}

function named(names: ReadonlyMap<string, ServerName>, name: string | undefined): ServerName | undefined {
  if (name === undefined || name === DEFAULT_SERVER_NAME || name.startsWith('*')) return undefined
  return names.get(name) ?? names.get(wildcardOver(name))
}
