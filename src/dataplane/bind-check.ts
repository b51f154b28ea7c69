// Every worker binds with SO_REUSEPORT, which shares a port with a stranger in silence. So each address is bound once
// without it before that, and all faults are told at once (R20-22, R20-25).
import { createServer } from 'node:net'
import { messageOf, RamjetError } from '../lib/errors.ts'
import { readOpenFilesLimit } from './descriptors.ts'
import { formatSocket, type SocketAddress } from './socket-address.ts'

/** One address that cannot be bound. */
export interface BindFault {
  /** `192.0.2.1:80` or `[2001:db8::1]:80`. */
  readonly address: string
  readonly port: number
  /** The system's name, such as `EADDRINUSE`. */
  readonly errno: string
  /** The system's own words. */
  readonly cause: string
}

/** What the remedies depend on. */
export interface BindHost {
  /** `undefined` where the system has no user ids. */
  readonly uid: number | undefined
  /** Open files that this process may have; `undefined` where it is not known. */
  readonly maxOpenFiles: number | undefined
}

/** Some address cannot be bound; the message has one line for each, with what to do about it. */
export class BindError extends RamjetError {
  readonly code = 'RAMJET_BIND_FAILED'
  readonly faults: readonly BindFault[]

  constructor(faults: readonly BindFault[], host: BindHost) {
    super(faults.map((fault) => explainFault(fault, host)).join('\n'), {
      context: { addresses: faults.map(({ address }) => address).join(' ') },
    })
    this.faults = faults
  }
}

/**
 * Binds and closes each of `addresses`, and gives those that can be bound: all, but for optional ones of an address
 * family that this machine lacks. Throws `BindError` with every fault.
 */
export async function checkAddresses(addresses: readonly SocketAddress[]): Promise<readonly SocketAddress[]> {
  const usable: SocketAddress[] = []
  const faults: BindFault[] = []
  for (const address of addresses) {
    const fault = await tryBind(address)
    if (!fault) usable.push(address)
    else if (!(address.optional && isFamilyMissing(fault))) faults.push(fault)
  }
  if (faults.length > 0) throw new BindError(faults, await bindHost())
  return usable
}

/** One sentence: what is wrong with the address and what helps (R20-26..28). */
export function explainFault({ address, port, errno, cause }: BindFault, { uid, maxOpenFiles }: BindHost): string {
  switch (errno) {
    case 'EACCES':
      return port < 1024
        ? `cannot bind ${address}: user ${uid ?? 'unknown'} may not bind ports below 1024; use a higher port behind ` +
            'the Service, or set the pod sysctl net.ipv4.ip_unprivileged_port_start=0; on the host network, where a ' +
            'pod cannot set it, set that sysctl on the node, or give the node binary the file capability of ' +
            'NET_BIND_SERVICE'
        : `cannot bind ${address}: not permitted for user ${uid ?? 'unknown'} (${cause})`
    case 'EADDRINUSE':
      return (
        `cannot bind ${address}: port ${port} is in use; on the host network most likely by another ingress ` +
        'controller or a second replica on this node'
      )
    case 'EADDRNOTAVAIL':
      return `cannot bind ${address}: this host does not have that address`
    case 'EMFILE':
      return (
        `cannot bind ${address}: all ${maxOpenFiles ?? 'allowed'} open files are in use; raise the limit (ulimit -n), ` +
        'or lower --max-connections'
      )
    default:
      return `cannot bind ${address}: ${cause}`
  }
}

function tryBind(address: SocketAddress): Promise<BindFault | undefined> {
  const { host, port } = address
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', (error) => {
      const errno = 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
      resolve({ address: formatSocket(address), port, errno, cause: messageOf(error) })
    })
    server.listen({ host, port, ipv6Only: true }, () => server.close(() => resolve(undefined)))
  })
}

function isFamilyMissing({ errno }: BindFault): boolean {
  return errno === 'EAFNOSUPPORT' || errno === 'EADDRNOTAVAIL' || errno === 'EINVAL'
}

async function bindHost(): Promise<BindHost> {
  return { uid: process.getuid?.(), maxOpenFiles: await readOpenFilesLimit() }
}
