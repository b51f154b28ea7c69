// The other replicas, by the EndpointSlices of the admin Service (R30-19, R32-40).
import { SERVICE_NAME_LABEL } from '../api/discovery.ts'
import { decodeReplicaSlice, type ReplicaSlice } from '../api/replica-slice.ts'
import { buildDialRules, type DialRules } from '../compiler/dial-rules.ts'
import type { Clock } from '../lib/clock.ts'
import { endpointAddress, isIp } from '../lib/ip.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Replica } from '../model/replica.ts'
import type { Logger } from '../observability/log.ts'
import { ApiClient } from '../runtime/client.ts'
import type { ClusterAccess } from '../runtime/cluster-access.ts'
import type { Informer } from '../runtime/informer.ts'
import { Manager } from '../runtime/manager.ts'
import { ENDPOINT_SLICES } from './kinds.ts'
import type { ServiceName } from './service-name.ts'
import type { Tunables } from './tunables.ts'
import { type ReadingTimes, writerInformers } from './writer-informers.ts'

export interface ReplicaWatchDeps {
  readonly access: ClusterAccess
  /** The admin Service. */
  readonly service: ServiceName
  /** Name of this pod, and its address where it is known. */
  readonly self: SelfPod
  readonly times: ReadingTimes
  readonly tunables: Tunables
  /** `ramjet/VERSION`. */
  readonly userAgent: string
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  /** The root logger. */
  readonly log: Logger
}

export interface SelfPod {
  readonly name: string
  /** `undefined`: not known. */
  readonly ip: string | undefined
}

const CALL_TIMEOUT_MS = 10_000
const STOP_MS = 2_000

/** Watches the slices of one Service, wherever the other watches look. */
export class ReplicaWatch {
  readonly #self: SelfPod
  readonly #rules: DialRules = buildDialRules()
  readonly #client: ApiClient
  readonly #manager: Manager
  readonly #informer: Informer<ReplicaSlice>

  constructor({ access, service, self, times, tunables, userAgent, ...deps }: ReplicaWatchDeps) {
    const { clock, timers, log } = deps
    this.#self = self
    this.#client = new ApiClient({ access, clock, timers, userAgent, callTimeoutMs: CALL_TIMEOUT_MS })
    this.#manager = new Manager({ timers, stopMs: STOP_MS, log: log.child('runtime') })
    const reading = { ...deps, ...tunables, ...times, client: this.#client, log: log.child('kube') }
    const makeInformer = writerInformers(reading)
    this.#informer = makeInformer({
      resource: ENDPOINT_SLICES,
      decode: decodeReplicaSlice,
      namespaces: [service.namespace],
      selection: { labels: `${SERVICE_NAME_LABEL}=${service.name}` },
    })
  }

  /** Begins to read; returns at once. */
  start(): void {
    this.#manager.start({ name: 'replicas of this installation', run: (signal) => this.#informer.run(signal) })
  }

  /** Resolves when nothing of it runs any more. */
  async stop(): Promise<void> {
    await this.#manager.stop()
    await this.#client.close()
  }

  /** By name; empty where no slice is there, or none may be read. */
  replicas(): readonly Replica[] {
    return replicasOf([...this.#informer.lister.list()], this.#self, this.#rules)
  }
}

/** The pods that `slices` name, each once and by name; without those at addresses that nobody may dial (R20-184). */
export function replicasOf(slices: readonly ReplicaSlice[], self: SelfPod, rules: DialRules): readonly Replica[] {
  const byName = new Map<string, Replica>()
  for (const { port, pods } of slices) {
    for (const { address: host, ready, name = host } of pods) {
      if (port === undefined || !isIp(host) || !rules.mayDial(host, port) || byName.has(name)) continue
      const isSelf = name === self.name || host === self.ip
      byName.set(name, { name, address: endpointAddress(host, port), ready, self: isSelf })
    }
  }
  return [...byName.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1))
}
