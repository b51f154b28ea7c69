import { Resolver } from 'node:dns/promises'
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os'
import { RamjetError } from '../lib/errors.ts'
import type { NameAnswer } from './external-names.ts'

/** No name server could say what a name resolves to. */
export class NameLookUpError extends RamjetError {
  readonly code = 'RAMJET_NAME_LOOK_UP'
}

type Family = 4 | 6
type Found = readonly { readonly address: string; readonly ttl: number }[]

/** Per try and name server; c-ares doubles it for the second. */
const TRY_MS = 1000
const TRIES = 2
/** How long it holds that a name has no address: what the zone says about that is not told to us. */
const NOTHING_MS = 5000
/** What a name server says where there is nothing of the kind. */
const NOTHING = new Set(['ENODATA', 'ENOTFOUND'])

/**
 * Asks the name servers of /etc/resolv.conf for the addresses of `name`, of the families that this host has. The name
 * is complete as it is: no search domain is tried, and no file of hosts is read.
 */
export async function lookUpName(name: string, signal: AbortSignal): Promise<NameAnswer> {
  // One for each question: it can be cancelled alone, and knows the name servers as they are now.
  const resolver = new Resolver({ timeout: TRY_MS, tries: TRIES })
  const cancel = (): void => resolver.cancel()
  signal.addEventListener('abort', cancel)
  try {
    const families = ownFamilies(Object.values(networkInterfaces()).flatMap((entries) => entries ?? []))
    return answerOf(name, await Promise.allSettled(families.map((family) => ask(resolver, name, family))))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** The families in which this host can reach others; both where it seems to reach nobody (RFC 3493, AI_ADDRCONFIG). */
export function ownFamilies(
  interfaces: readonly Pick<NetworkInterfaceInfo, 'family' | 'internal' | 'address'>[],
): readonly Family[] {
  const outward = interfaces.filter(({ internal, address }) => !internal && !/^fe[89ab]/i.test(address))
  const found = ([4, 6] as const).filter((family) => outward.some((entry) => entry.family === `IPv${family}`))
  return found.length > 0 ? found : [4, 6]
}

/** One family that fails costs nothing while the other one has addresses. */
function answerOf(name: string, outcomes: readonly PromiseSettledResult<Found>[]): NameAnswer {
  const found = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
  if (found.length > 0) {
    const ttlMs = Math.min(...found.map(({ ttl }) => ttl)) * 1000
    return { addresses: [...new Set(found.map(({ address }) => address))], ttlMs }
  }
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed) throw new NameLookUpError(`${name} could not be resolved`, { cause: failed.reason })
  return { addresses: [], ttlMs: NOTHING_MS }
}

async function ask(resolver: Resolver, name: string, family: Family): Promise<Found> {
  try {
    return family === 4 ? await resolver.resolve4(name, { ttl: true }) : await resolver.resolve6(name, { ttl: true })
  } catch (error) {
    if (error instanceof Error && 'code' in error && NOTHING.has(String(error.code))) return []
    throw error
  }
}
