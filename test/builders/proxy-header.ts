// PROXY headers of both versions, as a load balancer writes them.

/** `PROXY TCP4 SOURCE 192.0.2.80 56324 443`. */
export function proxyV1(source: string, destinationPort = 443): Buffer {
  return Buffer.from(`PROXY TCP4 ${source} 192.0.2.80 56324 ${destinationPort}\r\n`)
}

const SIGNATURE_2 = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1')

export interface ProxyV2Options {
  readonly source?: readonly [number, number, number, number]
  readonly destinationPort?: number
  /** What stands behind the addresses. */
  readonly tlvs?: Buffer
  /** `LOCAL` speaks of the load balancer's own connection. */
  readonly command?: 'LOCAL' | 'PROXY'
}

/** Version 2 for TCP over IPv4. */
export function proxyV2(options: ProxyV2Options = {}): Buffer {
  const { source = [198, 51, 100, 7], destinationPort = 443, tlvs = Buffer.alloc(0), command = 'PROXY' } = options
  const addresses = Buffer.from([...source, 192, 0, 2, 80, 0xdc, 0x04, destinationPort >> 8, destinationPort & 255])
  const head = Buffer.from([command === 'PROXY' ? 0x21 : 0x20, 0x11, 0, addresses.length + tlvs.length])
  return Buffer.concat([SIGNATURE_2, head, addresses, tlvs])
}
