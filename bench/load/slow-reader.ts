import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'

export interface SlowReading {
  readonly path: string
  readonly bytesPerSecond: number
  readonly seconds: number
}

const LOOKS_PER_SECOND = 10

/** Reads an answer at a rate and gives what `look` said ten times a second. */
export async function readSlowly(port: number, plan: SlowReading, look: () => number): Promise<readonly number[]> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(`GET ${plan.path} HTTP/1.1\r\nHost: shop.example\r\n\r\n`)
  const perLook = plan.bytesPerSecond / LOOKS_PER_SECOND
  const seen: number[] = []
  let owed = 0
  socket.on('data', (bytes) => {
    owed += bytes.length
    if (owed >= perLook) socket.pause()
  })
  for (let looks = 0; looks < plan.seconds * LOOKS_PER_SECOND; looks += 1) {
    await delay(1000 / LOOKS_PER_SECOND)
    owed = Math.max(0, owed - perLook)
    if (owed < perLook) socket.resume()
    seen.push(look())
  }
  socket.destroy()
  return seen
}
