import { networkInterfaces } from 'node:os'
import { endpointAddress, isIp } from '../lib/ip.ts'
import type { Environment } from './env.ts'

/**
 * `address:port` of a listener of ours on every address of this pod, and of its node where `HOST_IP` names it: what no
 * object of the cluster may have dialled (R20-184).
 */
export function ownAddresses(port: number, env: Environment): ReadonlySet<string> {
  const interfaces = Object.values(networkInterfaces()).flatMap((entries) => entries ?? [])
  const named = [env['POD_IP'], env['HOST_IP']].filter((address) => address !== undefined && isIp(address))
  const hosts = [...interfaces.map(({ address }) => address), ...named.map(String)]
  return new Set(hosts.map((host) => endpointAddress(host, port)))
}
