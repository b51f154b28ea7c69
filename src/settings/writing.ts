// What the flags say about writing to the cluster (R30-35 to R30-45).
import { DNS_LABEL, DNS_NAME } from '../lib/dns-name.ts'
import { isIp } from '../lib/ip.ts'
import { err, ok, type Result } from '../lib/result.ts'
import type { FlagReader } from './flag-reader.ts'
import { matching } from './matching.ts'
import { parseServiceName, type ServiceName } from './service-name.ts'

export interface WritingFlags {
  readonly readOnly: boolean
  readonly noStatusUpdate: boolean
  readonly publishService: ServiceName | undefined
  /** IP addresses and names of hosts. */
  readonly publishAddresses: readonly string[]
  readonly observedGeneration: 'auto' | 'all' | 'changed'
  readonly updateStatusOnShutdown: boolean
  /** `undefined`: no Lease, this replica writes. */
  readonly election: ElectionFlags | undefined
}

export interface ElectionFlags {
  readonly durationMs: number
  readonly renewMs: number
  readonly retryMs: number
  /** `undefined`: made from the names of controller and class. */
  readonly leaseName: string | undefined
  /** `undefined`: the namespace of this pod. */
  readonly leaseNamespace: string | undefined
}

const OBSERVED = ['auto', 'all', 'changed'] as const

export function writingFrom(reader: FlagReader): WritingFlags {
  // Read even where nobody is elected, so that their faults are found.
  const election: ElectionFlags = {
    durationMs: reader.durationMs('--leader-elect-duration'),
    renewMs: reader.durationMs('--leader-elect-renew'),
    retryMs: reader.durationMs('--leader-elect-retry'),
    leaseName: reader.textIfGiven('--leader-elect-lease-name', matching(DNS_NAME, 'the name of a Lease')),
    leaseNamespace: reader.textIfGiven('--leader-elect-namespace', matching(DNS_LABEL, 'the name of a namespace')),
  }
  return {
    readOnly: reader.boolean('--read-only'),
    noStatusUpdate: reader.boolean('--no-status-update'),
    publishService: reader.textIfGiven('--publish-service', parseServiceName),
    publishAddresses: reader.textsIfGiven('--publish-address', parseAddress) ?? [],
    observedGeneration: reader.choice('--observed-generation', OBSERVED),
    updateStatusOnShutdown: reader.boolean('--update-status-on-shutdown'),
    election: reader.boolean('--leader-elect') ? election : undefined,
  }
}

/** What is wrong with the times of an election, one line each (R30-40). */
export function electionFaults(reader: FlagReader, { election }: WritingFlags): readonly string[] {
  if (!election) return []
  const { durationMs, renewMs, retryMs } = election
  const [duration, renew, retry] = ['duration', 'renew', 'retry'].map((part) => {
    const name = `--leader-elect-${part}`
    return reader.givenAs(name) ?? name
  })
  return [
    ...(durationMs % 1000 === 0 ? [] : [`${duration}: ${durationMs} ms are no whole seconds; a Lease knows no others`]),
    ...(durationMs > renewMs
      ? []
      : [
          `${duration} with ${renew}: ${durationMs} ms is not above ${renewMs} ms; raise the first or lower the second`,
        ]),
    ...(renewMs > retryMs
      ? []
      : [`${renew} with ${retry}: ${renewMs} ms is not above ${retryMs} ms; raise the first or lower the second`]),
  ]
}

function parseAddress(text: string): Result<string, string> {
  return isIp(text) || DNS_NAME.test(text) ? ok(text) : err('an IP address, or the name of a host')
}
