import type { CheckedRequest } from '../http/request-check.ts'
import type { Random } from '../lib/random.ts'
import type { Balancers } from '../router/balance/balancers.ts'
import { hashPoint } from '../router/balance/hash-key.ts'

/** A request and the backend that it goes to. */
export interface PointRequest {
  readonly balancers: Balancers
  readonly backend: string
  readonly request: Pick<CheckedRequest, 'host' | 'path' | 'query' | 'index'>
  /** The client's address (R20-50). */
  readonly client: string
}

/**
 * The point in [0, 1) by which endpoints are picked for all tries of a request: that of its key where the backend is
 * balanced by hash (R20-135), else one that chance names.
 */
export function endpointPoint({ balancers, backend, request, client }: PointRequest, random: Random): number {
  const key = balancers.keyOf(backend)
  if (key === undefined) return random()
  const { host, path, query, index } = request
  return hashPoint(key, { host, path, query, remoteAddress: client, header: (name) => index.values(name)[0] })
}
