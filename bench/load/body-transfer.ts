import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import type { WorkReport } from './interleaved.ts'

export interface Transfer {
  readonly path: string
  /** Bytes of the request's body; 0: a GET. */
  readonly upBytes: number
  readonly chunked: boolean
}

const LANES = 8
const PIECE = Buffer.alloc(64 * 1024, 'y')

/** Transfers one body after the other on a few connections for so many seconds. */
export async function transferAll(port: number, transfer: Transfer, seconds: number): Promise<WorkReport> {
  const agent = new Agent({ keepAlive: true, maxSockets: LANES })
  const startMs = performance.now()
  const endMs = startMs + seconds * 1000
  const times: number[] = []
  let faults = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const beganMs = performance.now()
      if (await transferOne(port, transfer, agent)) times.push(performance.now() - beganMs)
      else faults += 1
    }
  }
  await Promise.all(Array.from({ length: LANES }, lane))
  agent.destroy()
  const tookSeconds = (performance.now() - startMs) / 1000
  const p99Ms = times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? Number.NaN
  return { units: times.length, perSecond: times.length / tookSeconds, p99Ms, faults }
}

async function transferOne(port: number, { path, upBytes }: Transfer, agent: Agent): Promise<boolean> {
  const up = upBytes > 0
  const headers = { host: 'shop.example', ...(up ? { 'content-length': upBytes } : {}) }
  const asking = request({ host: '127.0.0.1', port, path, method: up ? 'POST' : 'GET', headers, agent })
  try {
    const answered = once(asking, 'response')
    await send(asking, upBytes)
    const [response] = (await answered) as [IncomingMessage]
    response.resume()
    await once(response, 'end')
    return response.complete
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
