// A data plane of real workers that take orders, an origin behind it, and who serves which connection.
import { createServer, type Server } from 'node:http'
import { setImmediate as turn } from 'node:timers/promises'
import { BroadcastChannel } from 'node:worker_threads'
import { listening } from '../fakes/listening.ts'
import { type FromOrdered, ORDERS_CHANNEL, type Order, type WorkerHoldings } from '../fakes/worker-orders.ts'
import { type Harness, type HarnessOptions, startHarness } from './harness.ts'

export interface OrderedPlane extends Harness {
  /** Index of the worker that took the connection with that local port; `undefined`: nobody, or not yet. */
  workerOf(clientPort: number): number | undefined
  /** Resolves when the worker has begun to obey. */
  order(worker: number, order: Order): Promise<void>
  /** What each worker holds, by its index. What they told the product before that, it knows then. */
  holdings(): Promise<readonly WorkerHoldings[]>
}

export async function startOrderedPlane(options: HarnessOptions & { readonly workers: number }): Promise<OrderedPlane> {
  const channel = new BroadcastChannel(ORDERS_CHANNEL)
  const workerOf = new Map<number, number>()
  const listeners = new Set<(message: FromOrdered) => void>()
  channel.addEventListener('message', ({ data }: MessageEvent) => {
    const message = data as FromOrdered
    if (message.kind === 'accepted') workerOf.set(message.clientPort, message.worker)
    for (const listener of listeners) listener(message)
  })
  const collect = <T>(count: number, read: (message: FromOrdered) => T | undefined): Promise<T[]> =>
    new Promise((resolve) => {
      const found: T[] = []
      const listener = (message: FromOrdered): void => {
        const one = read(message)
        if (one !== undefined) found.push(one)
        if (found.length < count) return
        listeners.delete(listener)
        resolve(found)
      }
      listeners.add(listener)
    })
  const workerEntry = new URL('../fakes/ordered-worker.ts', import.meta.url)
  const harness = await startHarness({ ...options, workerEntry })
  return {
    ...harness,
    workerOf: (clientPort) => workerOf.get(clientPort),
    async order(worker, order) {
      const obeying = collect(1, (message) => (message.kind === 'obeying' ? message.worker : undefined))
      channel.postMessage({ to: worker, order })
      // A worker that dies at once has no time to say so.
      if (order.kind !== 'exit' && order.kind !== 'spin') await obeying
    },
    async holdings() {
      const all = collect(options.workers, (message) => (message.kind === 'holds' ? message.holdings : undefined))
      channel.postMessage({ to: 'all', order: { kind: 'tell' } })
      const told = await all
      // What a worker told the product before is here, on another port, and may be read only now: in the next round of
      // the event loop at the latest.
      await turn()
      await turn()
      return told.toSorted((a, b) => a.worker - b.worker)
    },
    async stop() {
      await harness.stop()
      channel.close()
    },
  }
}

export interface Origin {
  /** `127.0.0.1:PORT`. */
  readonly address: string
  /** Connections to it that are open. */
  readonly connections: () => number
  stop(): void
}

/** An origin that answers with `NAME TARGET`, and takes every upgrade. */
export async function startOrigin(name: string): Promise<Origin> {
  let open = 0
  const server: Server = createServer((request, response) => response.end(`${name} ${request.url}`))
  server.keepAliveTimeout = 0
  server.on('connection', (socket) => {
    open += 1
    socket.on('close', () => {
      open -= 1
    })
  })
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => socket.destroy())
    socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n')
    socket.pipe(socket)
  })
  const port = await listening(server)
  return {
    address: `127.0.0.1:${port}`,
    connections: () => open,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}
