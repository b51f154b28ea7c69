import { recordOf } from '../lib/json-record.ts'
import type { LoadBalancerAddress } from './networking.ts'

/** The addresses of a `status.loadBalancer.ingress`, in the order written; entries without one are left out. */
export function readAddresses(list: unknown): readonly LoadBalancerAddress[] {
  if (!Array.isArray(list)) return []
  return list.flatMap((entry: unknown): readonly LoadBalancerAddress[] => {
    const { ip, hostname } = recordOf(entry)
    if (typeof ip === 'string' && ip !== '') return [{ ip }]
    return typeof hostname === 'string' && hostname !== '' ? [{ hostname }] : []
  })
}
