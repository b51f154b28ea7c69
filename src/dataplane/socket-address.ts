import type { BoundListener, ListenAddress } from './listen-address.ts'

/** One socket to bind. */
export interface SocketAddress extends BoundListener {
  /** Sockets of one group share one port, whatever it turns out to be (R20-17). */
  readonly group: number
  /** Left out where the machine has no such address family. */
  readonly optional: boolean
}

/** Addresses by what is spoken there. */
export interface ListenAddresses {
  readonly http: readonly ListenAddress[]
  readonly https: readonly ListenAddress[]
}

/** The sockets that make up `addresses`: one without a host is both families, of which IPv6 may be missing. */
export function socketsOf({ http, https }: ListenAddresses): SocketAddress[] {
  const all = [
    ...http.map((address) => ({ ...address, secure: false })),
    ...https.map((address) => ({ ...address, secure: true })),
  ]
  return all.flatMap(({ host, ...rest }, group) => {
    if (host !== undefined) return [{ ...rest, host, group, optional: false }]
    return [
      { ...rest, host: '0.0.0.0', group, optional: false },
      { ...rest, host: '::', group, optional: true },
    ]
  })
}

/** `addresses` with the ports that were bound for them; the two lists run side by side. */
export function withPorts(addresses: readonly SocketAddress[], bound: readonly BoundListener[]): SocketAddress[] {
  return addresses.map((address, at) => ({ ...address, port: bound[at]?.port ?? address.port }))
}

/** `192.0.2.1:80` or `[2001:db8::1]:80`. */
export function formatSocket({ host, port }: Pick<BoundListener, 'host' | 'port'>): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
