import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { givenLoad, runDriver } from './driver.ts'
import type { WorkReport } from './interleaved.ts'
import { latencyOf } from './latency.ts'

export interface Transfer {
  readonly path: string
  /** Bytes of the request's body; 0: a GET. */
  readonly upBytes: number
  /** Bytes of the answer's body. */
  readonly downBytes: number
}

export interface TransferLoad extends Transfer {
  readonly port: number
  readonly seconds: number
}

/** Bodies under way at once. */
export const LANES = 8
const PIECE = Buffer.alloc(64 * 1024, 'y')

/** Transfers one body after the other on a few connections for so many seconds, on the CPU `core`. */
export function runTransfers(load: TransferLoad, core: number): Promise<WorkReport> {
  return runDriver(import.meta.filename, load, core)
}

async function transferAll(load: TransferLoad): Promise<WorkReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const startMs = performance.now()
  const endMs = startMs + load.seconds * 1000
  const times: number[] = []
  let faults = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const beganMs = performance.now()
      if (await isTransferred(load, agent)) times.push(performance.now() - beganMs)
      else faults += 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  agent.destroy()
  const tookSeconds = (performance.now() - startMs) / 1000
  return { units: times.length, perSecond: times.length / tookSeconds, ...latencyOf(times), faults }
}

/** Whether one body went there, or came back, whole. */
async function isTransferred({ port, path, upBytes, downBytes }: TransferLoad, agent: Agent): Promise<boolean> {
  const up = upBytes > 0
  const headers = { host: 'shop.example', ...(up ? { 'content-length': upBytes } : {}) }
  const asking = request({ host: '127.0.0.1', port, path, method: up ? 'POST' : 'GET', headers, agent })
  try {
    const [[response]] = (await Promise.all([once(asking, 'response'), send(asking, upBytes)])) as [
      [IncomingMessage],
      undefined,
    ]
    let bytes = 0
    response.on('data', (piece: Buffer) => {
      bytes += piece.length
    })
    await once(response, 'end')
    return response.complete && response.statusCode === (up ? 204 : 200) && bytes === downBytes
  } catch {
    return false
  }
}

async function send(asking: ClientRequest, bytes: number): Promise<void> {
  for (let left = bytes; left > 0; left -= PIECE.length) {
    const piece = left < PIECE.length ? PIECE.subarray(0, left) : PIECE
    if (!asking.write(piece)) await once(asking, 'drain')
  }
  asking.end()
}

if (import.meta.main) console.log(JSON.stringify(await transferAll(givenLoad() as TransferLoad)))
