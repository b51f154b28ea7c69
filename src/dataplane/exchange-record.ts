// What one exchange counts, and that every count that goes up comes down again (R00-15, R00-16).
import type { DroppedFields } from '../http/request-head.ts'
import type { ProcessField } from '../model/counters.ts'
import type { Endpoint } from '../model/endpoint-table.ts'
import type { Decision } from '../router/decision.ts'
import type { DroppedFieldLog } from './dropped-fields.ts'
import type { EngineDeps, ServedPair, WorkerCounters } from './engine.ts'
import type { EngineParts, PresentTime } from './engine-parts.ts'
import type { ConnectFailure } from './errors.ts'

const CLASS_FIELDS: readonly (ProcessField | undefined)[] = [
  undefined,
  'responses1xx',
  'responses2xx',
  'responses3xx',
  'responses4xx',
  'responses5xx',
]

const CONNECT_FIELDS: Readonly<Record<ConnectFailure, ProcessField>> = {
  refused: 'connectRefused',
  timeout: 'connectTimeout',
  unreachable: 'connectUnreachable',
  reset: 'connectReset',
  tls: 'connectTls',
  other: 'connectOther',
}

/** Counts a connect that failed; `slot`: that of the endpoint. */
export function countConnectFailure(counters: WorkerCounters, failure: ConnectFailure, slot: number | undefined): void {
  counters.addProcess(CONNECT_FIELDS[failure], 1)
  if (failure === 'timeout') counters.addProcess('timeoutConnect', 1)
  // `other` is as likely our own fault, so the endpoint is not left alone for it.
  if (slot !== undefined && failure !== 'other') counters.add(slot, 'ejections', 1)
}

/** The record of one exchange after the other: an engine may keep it and use it again once `ended` was called. */
export class ExchangeRecord {
  readonly #deps: EngineDeps
  readonly #time: PresentTime
  readonly #droppedFields: DroppedFieldLog
  #startedMs = 0
  #pair: ServedPair | undefined
  #routeSlot: number | undefined
  #endpointSlot: number | undefined
  #backend = ''
  #address = ''
  #sentMs = 0
  #awaitsHead = false
  #status = 0

  constructor({ deps, time, droppedFields }: Pick<EngineParts, 'deps' | 'time' | 'droppedFields'>) {
    this.#deps = deps
    this.#time = time
    this.#droppedFields = droppedFields
  }

  /** A request has come. */
  begun(): void {
    this.#startedMs = this.#time.nowMs
    this.#deps.counters.addProcess('requests', 1)
    this.#deps.counters.addProcess('requestsInFlight', 1)
  }

  count(field: ProcessField, value = 1): void {
    if (value > 0) this.#deps.counters.addProcess(field, value)
  }

  dropped(fields: DroppedFields): void {
    const { underscore, dot, managed } = fields
    this.count('droppedUnderscore', underscore)
    this.count('droppedDot', dot)
    this.count('droppedManaged', managed)
    this.#droppedFields.tell(fields)
  }

  /** The decision about the request; one that forwards keeps its pair from being forgotten until `settled`. */
  routed(pair: ServedPair, decision: Decision): void {
    const isMiss = decision.kind === 'respond' ? decision.reason === 'no-route' : !decision.matched
    if (isMiss) this.count('routeMisses')
    this.#routeSlot = decision.route && pair.routeSlots.get(decision.route.id)
    if (this.#routeSlot !== undefined) {
      this.#deps.counters.add(this.#routeSlot, 'requests', 1)
      this.#deps.counters.add(this.#routeSlot, 'inFlight', 1)
    }
    if (decision.kind !== 'forward') return
    this.#pair = pair
    this.#deps.holds.hold(pair)
  }

  /** No endpoint is chosen any more. */
  settled(): void {
    const pair = this.#pair
    if (!pair) return
    this.#pair = undefined
    this.#deps.holds.release(pair)
  }

  chosen(endpoint: Endpoint, backend: string): void {
    this.#address = endpoint.address
    this.#backend = backend
    this.#endpointSlot = this.#pair?.endpointSlots.get(endpoint.address)
    if (this.#endpointSlot !== undefined) this.#deps.counters.add(this.#endpointSlot, 'inFlight', 1)
  }

  /** The connection stands and the request is on its way. */
  sent(): void {
    this.#sentMs = this.#time.nowMs
    this.#awaitsHead = true
    if (this.#endpointSlot !== undefined) this.#deps.counters.add(this.#endpointSlot, 'requests', 1)
  }

  /** The upstream's response head came. */
  headed(status: number): void {
    const { nowMs } = this.#time
    const ms = nowMs - this.#sentMs
    this.#awaitsHead = false
    this.#pair?.balancers.latenciesOf(this.#backend)?.answered(this.#address, ms, nowMs)
    this.#deps.counters.observe('upstreamLatency', ms / 1000)
    this.#countOutcome(this.#endpointSlot, status, ms)
  }

  connectFailed(failure: ConnectFailure): void {
    countConnectFailure(this.#deps.counters, failure, this.#endpointSlot)
  }

  /** The endpoint has nothing to do with this exchange any more. */
  leftEndpoint(): void {
    if (this.#awaitsHead) this.#gaveUp(this.#time.nowMs)
    const slot = this.#endpointSlot
    this.#endpointSlot = undefined
    if (slot !== undefined) this.#deps.counters.add(slot, 'inFlight', -1)
  }

  /** An interim response went to the client. */
  interim(): void {
    this.count('responses1xx')
  }

  /** The status that the client was told. */
  answered(status: number): void {
    this.#status = status
    const field = CLASS_FIELDS[Math.floor(status / 100)]
    if (field) this.count(field)
  }

  /** The last byte of the answer is out; not told of tunnels, nor of what was cut. */
  completed(): void {
    const ms = this.#time.nowMs - this.#startedMs
    this.#deps.counters.observe('requestDuration', ms / 1000)
    this.#countOutcome(this.#routeSlot, this.#status, ms)
  }

  /** The very last thing that an exchange does. */
  ended(): void {
    this.settled()
    this.#deps.counters.addProcess('requestsInFlight', -1)
    this.leftEndpoint()
    const slot = this.#routeSlot
    this.#routeSlot = undefined
    if (slot !== undefined) this.#deps.counters.add(slot, 'inFlight', -1)
  }

  #gaveUp(nowMs: number): void {
    this.#awaitsHead = false
    this.#pair?.balancers.latenciesOf(this.#backend)?.gaveUp(this.#address, nowMs - this.#sentMs, nowMs)
  }

  #countOutcome(slot: number | undefined, status: number, ms: number): void {
    if (slot === undefined) return
    const { counters } = this.#deps
    counters.add(slot, 'latencyCount', 1)
    counters.add(slot, 'latencyMsSum', ms)
    if (status >= 500) counters.add(slot, 'errors5xx', 1)
  }
}
