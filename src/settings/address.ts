import { ipFamily } from '../lib/ip.ts'
import { err, ok, type Result } from '../lib/result.ts'

/** Where to listen. */
export interface ListenAddress {
  /** An IP address without brackets; `undefined`: every address of both families. */
  readonly host: string | undefined
  /** 0 takes a free port. */
  readonly port: number
}

const ALLOWED = 'HOST:PORT, :PORT, PORT or [V6]:PORT; HOST is an IP address or localhost, PORT at most 65535'
const FORM = /^(?:(?<host>[^:[\]]*):|\[(?<v6>[0-9A-Fa-f:.]+)\]:)?(?<port>\d{1,5})$/

/** Reads an address of R20-17; the error is what is allowed. `localhost` is 127.0.0.1. */
export function parseListenAddress(text: string): Result<ListenAddress, string> {
  const groups = FORM.exec(text)?.groups
  const port = Number(groups?.['port'] ?? Number.NaN)
  if (groups === undefined || port > 65_535) return err(ALLOWED)
  const v6 = groups['v6']
  const host = groups['host']
  if (v6 !== undefined) return ipFamily(v6) === 6 ? ok({ host: v6, port }) : err(ALLOWED)
  if (host === undefined || host === '') return ok({ host: undefined, port })
  if (host === 'localhost') return ok({ host: '127.0.0.1', port })
  return ipFamily(host) === 4 ? ok({ host, port }) : err(ALLOWED)
}

/** The address as it is written: `[V6]:PORT`, `V4:PORT` or `:PORT`. */
export function formatListenAddress({ host, port }: ListenAddress): string {
  if (host === undefined) return `:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** The address to ask a listener at: this machine's own, where it listens on all of them. */
export function formatReachable({ host, port }: { readonly host: string; readonly port: number }): string {
  return formatListenAddress({ host: host === '::' || host === '0.0.0.0' ? '127.0.0.1' : host, port })
}
