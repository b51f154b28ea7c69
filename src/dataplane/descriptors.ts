// How many connections a worker may have, so that the process never runs out of file descriptors (R20-97).
import { readFile } from 'node:fs/promises'

/** Open files that this process may have; `undefined` where it is not known. */
export async function readOpenFilesLimit(): Promise<number | undefined> {
  const limits = await readFile('/proc/self/limits', 'utf8').catch(() => '')
  const soft = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
  return soft === undefined ? undefined : Number(soft)
}

/** What one worker may have open. */
export interface DescriptorShare {
  /** Client connections. */
  readonly connections: number
  /** Sockets of clients and upstreams, idle ones included. */
  readonly sockets: number
}

/** Kept for what is no proxied connection: idle upstream sockets, health checks, admin listener, API server, files. */
const RESERVE = 512
/** Of a small limit, the most that is kept. */
const RESERVE_SHARE = 3 / 4
/** A client's socket and one to its upstream. */
const PER_CONNECTION = 2

/** The share of each of `workers`; half of the reserve is for idle upstream sockets. No bound where `limit` is unknown. */
export function descriptorShare(limit: number | undefined, workers: number): DescriptorShare {
  if (limit === undefined) return { connections: Number.POSITIVE_INFINITY, sockets: Number.POSITIVE_INFINITY }
  const reserve = Math.min(RESERVE, Math.floor(limit * RESERVE_SHARE))
  const connections = Math.max(1, Math.floor((limit - reserve) / PER_CONNECTION / workers))
  return { connections, sockets: Math.max(PER_CONNECTION, Math.floor((limit - reserve / 2) / workers)) }
}

/** How many idle upstream sockets a worker may keep while it has so many client connections. */
export function idleRoom(sockets: number, connections: number): number {
  return Math.max(0, sockets - connections * PER_CONNECTION)
}
