// What crosses between the main thread and a worker. All of it is plain values and shared memory.
import type { PublishFailure } from '../model/generation.ts'
import type { CheckChange } from './check-verdicts.ts'
import type { CounterMemory } from './counter-layout.ts'
import type { PairDelta } from './delta.ts'
import type { EngineName, EngineSettings, LogFields } from './engine.ts'
import type { BoundListener } from './listen-address.ts'
import type { ProxyProtocolSettings } from './proxy-protocol-settings.ts'
import type { Http2Settings, TlsSettings } from './secure-settings.ts'
import type { SocketAddress } from './socket-address.ts'
import type { TransportFallback, TransportWish } from './transport/choose.ts'
import type { TransportName } from './transport/transport.ts'

/** What a worker is born with. */
export interface WorkerBoot {
  /** The place of this worker among all; a successor takes that of the one it replaces. */
  readonly index: number
  /** Its column of the counters, which no other living worker has. */
  readonly column: number
  readonly counters: CounterMemory
  /** One number that the worker counts up. */
  readonly heartbeat: SharedArrayBuffer
  readonly heartbeatMs: number
  /** Where it writes how late its event loop runs; see `allocateLoopDelay`. */
  readonly loopDelay: SharedArrayBuffer
  readonly engine: EngineName
  /** Has a part in the wire engine alone (R20-8). */
  readonly transport: TransportWish
  /** No other transport will do: a worker that cannot have it serves nothing (R20-9). */
  readonly isTransportStrict: boolean
  readonly engineSettings: EngineSettings
  /** `undefined`: no header is expected. */
  readonly proxyProtocol: ProxyProtocolSettings | undefined
  readonly tls: TlsSettings
  /** `undefined`: HTTP/2 is not offered. */
  readonly http2: Http2Settings | undefined
  /** Client connections that it may have. */
  readonly maxConnections: number
}

/** What a worker has under way, over all its lanes. */
export interface WorkerLoad {
  /** Of HTTP/1.1. */
  readonly requests: number
  /** Of HTTP/2; those that became tunnels are counted as such. */
  readonly streams: number
  readonly tunnels: number
}

/** Names with the rows of the counters that belong to them. */
export type NamedRows = readonly (readonly [name: string, row: number])[]

/** Rows that a worker must learn or forget. */
export interface RowChanges {
  /** Names whose row is given away; to be forgotten before `set` is read. */
  readonly freed: readonly string[]
  readonly set: NamedRows
}

/** Phase one: make the pair aside. Answered by `built` or `refused`. */
export interface BuildMessage {
  readonly kind: 'build'
  /** Names this pair in later messages. */
  readonly sequence: number
  /** To the tables that the worker serves; the whole for one that serves nothing. */
  readonly delta: PairDelta
  readonly routeRows: RowChanges
  readonly endpointRows: RowChanges
  /** Segments of the matrix that the worker lacks. */
  readonly segments: readonly SharedArrayBuffer[]
}

/** What belongs to a build message that is to follow. Answered by `took`, when requests had their turn. */
export interface PartMessage extends Omit<BuildMessage, 'kind'> {
  readonly kind: 'part'
}

export type ToWorker =
  | PartMessage
  | BuildMessage
  /** Phase two: serve what was built. Answered by `assigned`. */
  | { readonly kind: 'assign'; readonly sequence: number }
  /** Forget what was built. */
  | { readonly kind: 'abandon' }
  /** Session tickets are made with these 48 bytes from now on, the same in every worker (R21-24). */
  | { readonly kind: 'ticketKeys'; readonly keys: Uint8Array }
  /** What health checks found; all that failed, for a worker that was told nothing yet (R20-151). */
  | { readonly kind: 'checked'; readonly changes: readonly CheckChange[] }
  /** Answered by `listening` or `listenFailed`. */
  | { readonly kind: 'listen'; readonly addresses: readonly SocketAddress[] }
  | { readonly kind: 'startDraining' }
  /** Close listeners and idle connections, wait for the rest. Answered by `drained`. */
  | { readonly kind: 'drain'; readonly graceMs: number }

/** How a worker of the wire engine reads and writes sockets; told once, before anything that it is asked. */
export interface TransportReport {
  readonly serving: TransportName
  /** `undefined`: it is what was asked for. */
  readonly fallback: TransportFallback | undefined
}

export type FromWorker =
  | { readonly kind: 'transport'; readonly report: TransportReport }
  | { readonly kind: 'took'; readonly sequence: number }
  | {
      readonly kind: 'built'
      readonly sequence: number
      readonly digest: string
      readonly endpointsDigest: string
    }
  | {
      readonly kind: 'refused'
      readonly sequence: number
      readonly reason: PublishFailure
      readonly message: string
    }
  | { readonly kind: 'assigned'; readonly sequence: number }
  /** No request of this worker can choose an endpoint from that replaced pair any more (R00-16). */
  | { readonly kind: 'unused'; readonly sequence: number }
  | { readonly kind: 'listening'; readonly bound: readonly BoundListener[] }
  | { readonly kind: 'listenFailed'; readonly message: string }
  /** Something was thrown that nobody caught: the worker serves on, but must be replaced (R70-126). */
  | { readonly kind: 'failing'; readonly message: string; readonly stack: string | undefined }
  /** What was still open when the grace ended and is cut now. */
  | { readonly kind: 'drained'; readonly cut: WorkerLoad }
  | {
      readonly kind: 'log'
      readonly records: readonly WorkerLogRecord[]
      /** Those that were too many, at `warn` and `info`, and at `debug`. */
      readonly dropped: number
      readonly droppedDebug: number
    }

export interface WorkerLogRecord {
  readonly level: 'warn' | 'info' | 'debug'
  readonly fields: LogFields
  readonly message: string
}
