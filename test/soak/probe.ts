// Preloaded into every thread of the product (`--import`): it writes down, once a second, which handles and timers are
// open and which rows of the counters a worker was given. The product does not know of it.
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import type { RowChanges, ToWorker } from '../../src/dataplane/worker-protocol.ts'

/** Name of the variable that has the folder; one file for each thread. */
export const PROBE_DIR = 'SOAK_PROBE_DIR'

/** What one thread wrote last. */
export interface Probe {
  /** Handles and timers by kind. */
  readonly resources: Readonly<Record<string, number>>
  /** What is live on the thread's heap, in bytes: after a collection, twice a minute. */
  readonly liveHeapBytes: number
  /** Rows that routes and endpoints have; 0 in the main thread. */
  readonly rows: number
  /** The highest number of a row so far. */
  readonly highestRow: number
}

const EVERY_MS = 1_000
const COLLECT_EVERY_MS = 30_000
const rows = new Map<string, number>()
let highestRow = 0
let liveHeapBytes = 0

const dir = process.env[PROBE_DIR]
if (dir !== undefined) start(dir)

function start(folder: string): void {
  const file = join(folder, isMainThread ? 'main.json' : `worker-${workerData.index}.json`)
  if (parentPort) watchMessages(parentPort)
  setInterval(() => {
    // Needs `--expose-gc`.
    globalThis.gc?.()
    liveHeapBytes = process.memoryUsage().heapUsed
  }, COLLECT_EVERY_MS).unref()
  setInterval(() => {
    writeFileSync(`${file}.new`, JSON.stringify(look()))
    renameSync(`${file}.new`, file)
  }, EVERY_MS).unref()
}

function look(): Probe {
  const resources = new Map<string, number>()
  for (const kind of process.getActiveResourcesInfo()) resources.set(kind, (resources.get(kind) ?? 0) + 1)
  return { resources: Object.fromEntries(resources), liveHeapBytes, rows: rows.size, highestRow }
}

// To listen already would start the port, and the product would miss what comes before it listens itself.
function watchMessages(port: NonNullable<typeof parentPort>): void {
  const on = port.on.bind(port)
  const watched = (event: string, listener: (message: ToWorker) => void): unknown => {
    if (event !== 'message') return on(event, listener)
    return on(event, (message: ToWorker) => {
      if (message.kind === 'build') {
        note('route', message.routeRows)
        note('endpoint', message.endpointRows)
      }
      listener(message)
    })
  }
  Object.assign(port, { on: watched })
}

function note(kind: string, { freed, set }: RowChanges): void {
  for (const name of freed) rows.delete(`${kind} ${name}`)
  for (const [name, row] of set) {
    rows.set(`${kind} ${name}`, row)
    highestRow = Math.max(highestRow, row)
  }
}
