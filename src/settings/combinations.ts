// Flags that exclude each other (R33-14). Each line names both sides and says what to take out.
import { formatListenAddress, type ListenAddress } from './address.ts'
import type { FlagReader } from './flag-reader.ts'
import { FLAG_BY_NAME } from './flags.ts'
import type { Settings } from './settings.ts'
import { electionFaults } from './writing.ts'

/** Beside the group of Kubernetes. */
const CLUSTER_FLAGS: ReadonlySet<string> = new Set([
  '--kinds',
  '--admin-service',
  '--default-tls-secret',
  '--ticket-key-secret',
  '--certificate-grace',
])

/** The combinations of `settings` that are refused, one line each. */
export function refusedCombinations(reader: FlagReader, settings: Settings): readonly string[] {
  return [
    ...clusterFlagsInStaticMode(reader),
    ...bothGiven(reader, '--http', '--no-http'),
    ...bothGiven(reader, '--https', '--no-https'),
    ...listenerOfNone(reader),
    ...bothGiven(reader, '--admin', '--no-admin'),
    ...guardOfNobody(reader),
    ...tokenMissing(reader, settings),
    ...bothGiven(reader, '--kubeconfig', '--service-account-dir'),
    ...bothGiven(reader, '--context', '--service-account-dir'),
    ...transportOfNobody(reader, settings),
    ...headerOfNobody(reader, settings),
    ...equalAddresses(settings),
    ...debounceOutOfOrder(reader, settings),
    ...electionFaults(reader, settings.writing),
  ]
}

function clusterFlagsInStaticMode(reader: FlagReader): readonly string[] {
  const file = reader.givenAs('--static-routes')
  if (file === undefined) return []
  return [...reader.givenNames()]
    .filter(needsCluster)
    .map((name) => `${file} with ${reader.givenAs(name)}: no cluster is asked in static mode; take one of them out`)
}

function needsCluster(name: string): boolean {
  return FLAG_BY_NAME.get(name)?.group === 'Kubernetes' || CLUSTER_FLAGS.has(name)
}

// Each of them is a listener's; nothing else listens in this build (R20-18).
function listenerOfNone(reader: FlagReader): readonly string[] {
  if (!reader.boolean('--no-http') || !reader.boolean('--no-https')) return []
  return ['--no-http with --no-https: nothing would be served; take one of them out']
}

function guardOfNobody(reader: FlagReader): readonly string[] {
  const off = reader.givenAs('--no-admin')
  if (off === undefined) return []
  return ['--admin-token-file', '--admin-protect', '--admin-service'].flatMap((name) => {
    const guard = reader.givenAs(name)
    return guard === undefined ? [] : [`${guard} with ${off}: there is nothing to guard; take one of them out`]
  })
}

function tokenMissing(reader: FlagReader, { adminProtect, adminTokenFile }: Settings): readonly string[] {
  if (adminProtect !== 'all' || adminTokenFile !== undefined) return []
  const protect = reader.givenAs('--admin-protect') ?? '--admin-protect'
  return [`${protect} all without --admin-token-file: nobody could ask; name a token file or take it out`]
}

function bothGiven(reader: FlagReader, one: string, other: string): readonly string[] {
  const first = reader.givenAs(one)
  const second = reader.givenAs(other)
  if (first === undefined || second === undefined) return []
  return [`${first} with ${second}: they contradict each other; take one of them out`]
}

function transportOfNobody(reader: FlagReader, { dataPlane }: Settings): readonly string[] {
  const transport = reader.givenAs('--transport')
  const strict = dataPlane.isTransportStrict ? reader.givenAs('--transport-strict') : undefined
  const engine = reader.givenAs('--engine') ?? '--engine'
  if (dataPlane.engine === 'standard') {
    return [transport, strict]
      .filter((name) => name !== undefined)
      .map((name) => `${name} with ${engine} standard: it has no transport; take ${name} out or set ${engine} wire`)
  }
  if (strict === undefined || dataPlane.transport !== 'auto') return []
  return [`${strict} without --transport: nothing was asked for; add --transport handle or take ${strict} out`]
}

function headerOfNobody(reader: FlagReader, { dataPlane }: Settings): readonly string[] {
  if (dataPlane.proxyProtocol) return []
  return ['--proxy-protocol-from', '--proxy-protocol-timeout']
    .map((name) => reader.givenAs(name))
    .filter((name) => name !== undefined)
    .map((name) => `${name} without --proxy-protocol: no header is read; add --proxy-protocol or take ${name} out`)
}

function equalAddresses({ dataPlane, admin }: Settings): readonly string[] {
  const all = [
    ...dataPlane.http.map((address) => ({ flag: '--http', address })),
    ...dataPlane.https.map((address) => ({ flag: '--https', address })),
  ]
  if (admin !== undefined) all.push({ flag: '--admin', address: admin })
  const holders = new Map<string, string>()
  const faults: string[] = []
  for (const { flag, address } of all) {
    // Port 0 takes a free port each time, so two of them never meet.
    const text = address.port === 0 ? undefined : keyOf(address)
    if (text === undefined) continue
    const holder = holders.get(text)
    if (holder === undefined) holders.set(text, flag)
    else faults.push(`${holder} with ${flag}: both are ${text}; change one of them`)
  }
  return faults
}

function keyOf(address: ListenAddress): string {
  // The URL parser writes an IPv6 address in its one short form.
  const host = address.host?.includes(':') === true ? new URL(`http://[${address.host}]`).hostname : address.host
  return formatListenAddress({ host: host?.replace(/^\[|\]$/g, ''), port: address.port })
}

function debounceOutOfOrder(reader: FlagReader, { debounceMinMs, debounceMs }: Settings): readonly string[] {
  if (debounceMinMs <= debounceMs) return []
  const least = reader.givenAs('--debounce-min') ?? '--debounce-min'
  const most = reader.givenAs('--debounce') ?? '--debounce'
  return [`${least} with ${most}: ${debounceMinMs} ms is above ${debounceMs} ms; lower the first or raise the second`]
}
