import type { BoundListener, ListenAddress } from './listen-address.ts'

/** One socket to bind. */
export interface SocketAddress extends BoundListener {
  /** Sockets of one group share one port, whatever it turns out to be (R20-17). */
  readonly group: number
  /** Left out where the machine has no such address family. */
  readonly optional: boolean
}

/** The sockets that make up `addresses`: one without a host is both families, of which IPv6 may be missing. */
export function socketsOf(addresses: readonly ListenAddress[]): SocketAddress[] {
  return addresses.flatMap(({ host, port }, group) => {
    if (host !== undefined) return [{ host, port, group, optional: false }]
    return [
      { host: '0.0.0.0', port, group, optional: false },
      { host: '::', port, group, optional: true },
    ]
  })
}

/** `addresses` with the ports that were bound for them; the two lists run side by side. */
export function withPorts(addresses: readonly SocketAddress[], bound: readonly BoundListener[]): SocketAddress[] {
  return addresses.map((address, at) => ({ ...address, port: bound[at]?.port ?? address.port }))
}

/** `192.0.2.1:80` or `[2001:db8::1]:80`. */
export function formatSocket({ host, port }: BoundListener): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}
