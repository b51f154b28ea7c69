// EndpointSlices -> the endpoints of one backend (R10-34 to R10-36).
import type { Service, ServicePort } from '../api/core.ts'
import { at, type DecodeFault, decoder, readString } from '../api/decode.ts'
import { decodeService } from '../api/decode-core.ts'
import { decodeEndpointSlice } from '../api/decode-discovery.ts'
import type { EndpointConditions, EndpointSlice } from '../api/discovery.ts'
import { endpointAddress, ipFamily } from '../lib/ip.ts'
import { digestOfEndpoints } from '../model/elements.ts'
import type { BackendEndpoints, Endpoint } from '../model/endpoint-table.ts'
import { type ObjectRef, refOf } from '../model/object-ref.ts'
import type { Backend } from '../model/route-table.ts'
import { httpPorts, isHeadless, splitBackendName } from './backends.ts'
import type { DialRules } from './dial-rules.ts'
import { type ExternalName, externalEndpoints, externalOf } from './external-name.ts'
import { type Finding, quote } from './finding.ts'
import { compareText } from './order.ts'
import type { ResolvedName } from './snapshot.ts'

/** What the endpoints of a backend are made from. */
export interface EndpointInput {
  readonly backend: Backend
  /** `undefined`: it does not exist; such a backend has no endpoint (R00-22). */
  readonly service: Service | undefined
  readonly slices: readonly EndpointSlice[] | undefined
  /** `undefined`: no name of this Service was resolved yet, or it has none. */
  readonly resolved: ResolvedName | undefined
}

export interface CompiledEndpoints {
  readonly entry: BackendEndpoints
  /** Addresses left out because nobody may dial them, for the users of the backend. */
  readonly denied: readonly string[]
  /** About the slices. */
  readonly findings: readonly Finding[]
  /** What is to be resolved for it; `undefined` where nothing is. */
  readonly external: ExternalName | undefined
}

/** The endpoints of one backend. Total: slices that cannot be read are reported and left out. */
export function compileEndpoints(input: EndpointInput, rules: DialRules): CompiledEndpoints {
  const { backend, service, slices, resolved } = input
  const outcome = { denied: [], findings: [], external: undefined }
  if (backend.fixedEndpoints) return { ...outcome, entry: entryOf(backend.name, backend.fixedEndpoints) }
  const { service: key, port: number } = splitBackendName(backend.name)
  const decoded = service === undefined ? undefined : decodeService(service)
  const known = decoded?.ok === true ? decoded.value : undefined
  const port = known && httpPorts(known, number).find((entry) => entry.port === number)
  if (!known || !port) return { ...outcome, entry: entryOf(backend.name, []) }
  if (known.spec?.type === 'ExternalName') {
    const { endpoints, denied } = externalEndpoints(known, port, resolved, rules)
    return { ...outcome, entry: entryOf(backend.name, endpoints), denied, external: externalOf(key, known) }
  }
  if (backend.dialsService && !isHeadless(known)) return clusterIpOutcome(known, port, backend, rules)
  const gathered = new SliceReader(key, port, rules)
  // Whoever filled the cache may not have looked, and an empty Service has no list at all.
  for (const slice of Array.isArray(slices) ? slices : []) gathered.read(slice)
  const endpoints = usable(gathered.byAddress, primaryFamily(known))
  return {
    ...outcome,
    entry: entryOf(backend.name, endpoints),
    denied: [...gathered.denied].toSorted(),
    findings: gathered.findings,
  }
}

/** The cluster IP at the port of the Service, as the only endpoint (R50-17); none while it has no address. */
function clusterIpOutcome(
  { spec }: Service,
  { port }: ServicePort,
  { name }: Backend,
  rules: DialRules,
): CompiledEndpoints {
  const host = spec?.clusterIP ?? ''
  const outcome = { denied: [], findings: [], external: undefined }
  if (ipFamily(host) === undefined) return { ...outcome, entry: entryOf(name, []) }
  const address = endpointAddress(host, port)
  if (!rules.mayDial(host, port)) return { ...outcome, entry: entryOf(name, []), denied: [address] }
  return { ...outcome, entry: entryOf(name, [{ address, host, port, weight: 1, readiness: 'ready' }]) }
}

/** Merges the slices of a Service for one of its ports. */
class SliceReader {
  readonly byAddress = new Map<string, Endpoint>()
  readonly denied = new Set<string>()
  readonly findings: Finding[] = []
  readonly #service: ObjectRef
  readonly #port: ServicePort
  readonly #rules: DialRules

  constructor(service: string, port: ServicePort, rules: DialRules) {
    this.#service = refOf('Service', service)
    this.#port = port
    this.#rules = rules
  }

  read(raw: unknown): void {
    const decoded = decodeEndpointSlice(raw)
    if (!decoded.ok) {
      this.findings.push(undecodable(raw, decoded.error, this.#service))
      return
    }
    const slice = decoded.value
    const { name } = slice.metadata
    if (slice.addressType !== 'IPv4' && slice.addressType !== 'IPv6') {
      this.#skip(`${name} addressType`, `EndpointSlice ${name} has addresses of type ${quote(slice.addressType)}`)
      return
    }
    const port = portOf(slice, this.#port)
    if (port === undefined) return
    for (const [index, { addresses, conditions }] of (slice.endpoints ?? []).entries()) {
      const readiness = readinessOf(conditions)
      if (!readiness) continue
      for (const address of addresses) this.#add(address, port, { readiness, field: `${name} endpoints[${index}]` })
    }
  }

  #add(host: string, port: number, { readiness, field }: { readiness: Endpoint['readiness']; field: string }): void {
    if (ipFamily(host) === undefined) {
      this.#skip(field, `${quote(host)} in EndpointSlice ${field} is no IP address`)
      return
    }
    const address = endpointAddress(host, port)
    if (!this.#rules.mayDial(host, port)) {
      this.denied.add(address)
      return
    }
    // Ready in one slice is ready, whatever another one says.
    if (this.byAddress.get(address)?.readiness === 'ready') return
    this.byAddress.set(address, { address, host, port, weight: 1, readiness })
  }

  #skip(field: string, found: string): void {
    const object = this.#service
    this.findings.push({ reason: 'EndpointsSkipped', object, field, found, effect: 'it is not used' })
  }
}

const decodeName = decoder((raw) => readString(at(at(raw, 'metadata'), 'name')))

/** About the slice; about its Service where it has no name that can be read. */
function undecodable(raw: unknown, { field, message }: DecodeFault, service: ObjectRef): Finding {
  const name = decodeName(raw)
  const object = name.ok ? { ...service, kind: 'EndpointSlice', name: name.value } : service
  const found = `${name.ok ? '' : 'an EndpointSlice of it: '}${field} ${message}`
  return { reason: 'UndecodableObject', object, field, found, effect: 'the slice is skipped', channel: 'log' }
}

function entryOf(backend: string, endpoints: readonly Endpoint[]): BackendEndpoints {
  const content = { backend, endpoints }
  return { ...content, digest: digestOfEndpoints(content) }
}

/** The ports of a slice go by the name of the Service's port; an unnamed one is the one without name. */
function portOf({ ports }: EndpointSlice, servicePort: ServicePort): number | undefined {
  const port = (ports ?? []).find(
    ({ name, protocol }) => (name ?? '') === (servicePort.name ?? '') && (protocol ?? 'TCP') === 'TCP',
  )?.port
  return typeof port === 'number' && port > 0 && port < 65_536 ? port : undefined
}

/** `undefined`: not used. An unknown `serving` counts as `ready`, which is false here (discovery/v1). */
function readinessOf({ ready, serving, terminating }: EndpointConditions = {}): Endpoint['readiness'] | undefined {
  if (ready !== false) return 'ready'
  return terminating === true && serving === true ? 'terminating' : undefined
}

/** The ready ones; while there is none, those that terminate but serve (R10-35). In an order of their own. */
function usable(byAddress: ReadonlyMap<string, Endpoint>, primary: 4 | 6): readonly Endpoint[] {
  const all = [...byAddress.values()]
  const ready = all.filter(({ readiness }) => readiness === 'ready')
  return (ready.length > 0 ? ready : all).toSorted(
    (a, b) => familyRank(a, primary) - familyRank(b, primary) || compareText(a.address, b.address),
  )
}

function familyRank({ host }: Endpoint, primary: 4 | 6): number {
  return ipFamily(host) === primary ? 0 : 1
}

function primaryFamily({ spec }: Service): 4 | 6 {
  const [family] = spec?.ipFamilies ?? []
  if (family !== undefined) return family === 'IPv6' ? 6 : 4
  return ipFamily(spec?.clusterIP ?? '') ?? 4
}
