import type { Decode } from '../api/decode.ts'
import type { KubernetesObject } from '../api/meta.ts'
import type { Clock } from '../lib/clock.ts'
import type { Random } from '../lib/random.ts'
import type { Timers } from '../lib/timers.ts'
import type { Logger } from '../observability/log.ts'
import type { ApiReader } from '../runtime/client.ts'
import { Informer } from '../runtime/informer.ts'
import type { Resource, Selection } from '../runtime/resource.ts'

/** What the writer reads beside what is compiled. */
export interface WriterReading<T extends KubernetesObject> {
  readonly resource: Resource
  readonly decode: Decode<T>
  readonly namespaces: readonly string[]
  readonly selection?: Selection
}

export type MakeInformer = <T extends KubernetesObject>(reading: WriterReading<T>) => Informer<T>

/** How long a watch lasts, and when all is listed anew (`--watch-timeout`, `--resync-period`): the same for everything. */
export interface ReadingTimes {
  readonly watchTimeoutMs: number
  /** 0: never. */
  readonly resyncPeriodMs: number
}

export interface WriterInformersDeps extends ReadingTimes {
  readonly client: ApiReader
  readonly askAgainMs: number
  readonly stallMarginMs: number
  readonly clock: Clock
  readonly timers: Timers
  readonly random: Random
  readonly log: Logger
}

const PAGE_SIZE = 500

/** Makes caches over `client`; nothing is read before they run. */
export function writerInformers({ client, ...deps }: WriterInformersDeps): MakeInformer {
  const { watchTimeoutMs, stallMarginMs, resyncPeriodMs, askAgainMs } = deps
  const settings = { watchTimeoutMs, stallMarginMs, resyncPeriodMs, askAgainMs, pageSize: PAGE_SIZE }
  return (reading) => new Informer({ ...deps, ...reading, client, settings })
}
