// A data plane with real threads and real sockets, and what tests ask of it.
import { performance } from 'node:perf_hooks'
import { createDataPlane, type DataPlane } from '../../src/dataplane/data-plane.ts'
import type { DataPlaneTiming } from '../../src/dataplane/data-plane-settings.ts'
import type { EngineName, EngineSettings } from '../../src/dataplane/engine.ts'
import type { ListenAddress } from '../../src/dataplane/listen-address.ts'
import type { ProxyProtocolSettings } from '../../src/dataplane/proxy-protocol-settings.ts'
import type { Http2Settings } from '../../src/dataplane/secure-settings.ts'
import type { TransportWish } from '../../src/dataplane/transport/choose.ts'
import type { Clock } from '../../src/lib/clock.ts'
import type { RamjetError } from '../../src/lib/errors.ts'
import type { Timers } from '../../src/lib/timers.ts'
import { ENGINE_SETTINGS } from '../builders/engine-settings.ts'
import { FakeLogger } from '../fakes/logger.ts'
import { RawConnection } from '../fakes/raw-connection.ts'
import type { WorkerAnswer } from '../fakes/test-engine.ts'

export interface HarnessOptions {
  readonly workers?: number
  readonly http?: readonly ListenAddress[]
  readonly https?: readonly ListenAddress[]
  readonly timing?: Partial<DataPlaneTiming>
  readonly workerHeapMb?: number
  /** `undefined`: that of the test engine. */
  readonly workerEntry?: URL
  /** `standard` where it is absent. */
  readonly engine?: EngineName
  readonly transport?: TransportWish | undefined
  readonly isTransportStrict?: boolean
  readonly proxyProtocol?: ProxyProtocolSettings
  readonly http2?: Http2Settings
  readonly engineSettings?: Partial<EngineSettings>
  readonly maxConnections?: number
}

export interface Harness {
  readonly plane: DataPlane
  readonly log: FakeLogger
  readonly fatal: readonly RamjetError[]
  /** The port of the first listener. */
  port(): number
  /** Opens a connection that is closed with the harness. */
  connect(): Promise<RawConnection>
  /** One request on a connection of its own. */
  ask(host: string, path?: string): Promise<WorkerAnswer>
  /** A connection to the worker of that index; tries until one takes it. */
  connectTo(index: number, host: string): Promise<RawConnection>
  /** A connection to each worker, by its index. */
  connectToEach(host: string): Promise<Map<number, RawConnection>>
  stop(): Promise<void>
}

export const realClock: Clock = { monotonicMs: () => performance.now(), wallMs: () => Date.now() }

export const realTimers: Timers = {
  after(ms: number, run: () => void): () => void {
    const timer = setTimeout(run, ms)
    return () => clearTimeout(timer)
  },
}

/** Starts a data plane of test workers on a free port. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { engine = 'standard', transport } = options
  const { workers = 2, http = [{ host: '127.0.0.1', port: 0 }], https = [], timing, workerHeapMb } = options
  const { workerEntry = new URL('../fakes/test-worker.ts', import.meta.url) } = options
  const log = new FakeLogger()
  const fatal: RamjetError[] = []
  const plane = createDataPlane(
    {
      http,
      https,
      workers,
      engine,
      transport,
      isTransportStrict: options.isTransportStrict,
      engineSettings: { ...ENGINE_SETTINGS, ...options.engineSettings },
      proxyProtocol: options.proxyProtocol,
      http2: options.http2,
      maxConnections: options.maxConnections,
      workerHeapMb,
    },
    {
      clock: realClock,
      timers: realTimers,
      log,
      onFatal: (error) => fatal.push(error),
      workerEntry,
      timing,
    },
  )
  await plane.start()
  return harnessOf({ plane, log, fatal, workers })
}

interface Parts {
  readonly plane: DataPlane
  readonly log: FakeLogger
  readonly fatal: readonly RamjetError[]
  readonly workers: number
}

function harnessOf({ plane, log, fatal, workers }: Parts): Harness {
  const open = new Set<RawConnection>()
  const port = (): number => plane.listeners()[0]?.port ?? 0
  const connect = async (): Promise<RawConnection> => {
    const connection = await RawConnection.open(port())
    open.add(connection)
    return connection
  }
  // The kernel chooses the worker, and while one is replaced nobody may listen.
  const connectTo = async (index: number, host: string): Promise<RawConnection> => {
    for (;;) {
      const connection = await connect().catch(() => undefined)
      const answer = connection && (await askOn(connection, host).catch(() => undefined))
      if (connection && answer?.worker === index) return connection
      connection?.close()
    }
  }
  return {
    plane,
    log,
    fatal,
    port,
    connect,
    async ask(host, path) {
      const connection = await connect()
      const answer = await askOn(connection, host, path)
      connection.close()
      open.delete(connection)
      return answer
    },
    connectTo,
    async connectToEach(host) {
      const found = new Map<number, RawConnection>()
      for (let index = 0; index < workers; index += 1) found.set(index, await connectTo(index, host))
      return found
    },
    async stop() {
      for (const connection of open) connection.close()
      await plane.stop()
    },
  }
}

/** What the worker behind `connection` says. */
export async function askOn(connection: RawConnection, host: string, path?: string): Promise<WorkerAnswer> {
  const { body } = await connection.ask(host, path)
  return JSON.parse(body)
}

/** Resolves once `holds` does; looks again after every turn of the event loop. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}
