// Clients that take nothing of what they asked for: each holds one of few connections.
import { IncomingMessage, ServerResponse } from 'node:http'
import { connect, Socket } from 'node:net'
import { expect } from 'chai'
import { AdminFailures } from '../../src/admin/admin-failures.ts'
import { type AdminEvent, EventStreams } from '../../src/admin/event-streams.ts'
import { eventually, FakeClock } from '../fakes/clock.ts'
import { AdminBench } from './admin-bench.ts'

/** More than the kernel takes for somebody who does not read. */
const MUCH = 'm'.repeat(32 * 1024 * 1024)

describe('clients of the admin listener that take nothing', () => {
  let bench: AdminBench
  const sockets: Socket[] = []

  async function start(): Promise<void> {
    bench = await AdminBench.start({ sources: { metrics: () => Promise.resolve(MUCH) } })
  }

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await bench.server.close()
  })

  /** Asks and reads no byte of the answer. */
  async function ask(path: string): Promise<Socket> {
    const socket = connect(bench.port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    await eventually(() => bench.clock.pending().length > 0)
    return socket
  }

  it('have 30 s for an answer (R32-6)', async () => {
    await start()
    const socket = await ask('/metrics')
    await bench.clock.run(30_000)
    expect(await bytesOf(socket)).to.be.below(MUCH.length)
    expect(bench.clock.pending()).to.deep.equal([])
  })

  it('are waited for no longer once they have taken it', async () => {
    await start()
    const socket = await ask('/metrics')
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.resume()
    await eventually(() => bytes > MUCH.length && bench.clock.pending().length === 0)
    expect(socket.destroyed).to.equal(false)
  })

  it('have from one comment to the next for an event', () => {
    const clock = new FakeClock()
    const streams = new EventStreams({ timers: clock, failures: new AdminFailures(), current: onePin })
    // One that no socket was given to: what is written waits.
    const request = new IncomingMessage(new Socket())
    const response = new ServerResponse(request)
    streams.open(request, response)
    expect(response.writableLength).to.be.above(0)
    clock.advance(15_000)
    expect(response.destroyed).to.equal(false)
    clock.advance(15_000)
    expect(response.destroyed).to.equal(true)
  })
})

function onePin(): readonly AdminEvent[] {
  return [{ event: 'pin', data: {} }]
}

/** How many bytes came until the connection ended. */
async function bytesOf(socket: Socket): Promise<number> {
  let bytes = 0
  socket.on('data', (chunk) => {
    bytes += chunk.length
  })
  const closed = new Promise((resolve) => socket.once('close', resolve))
  socket.resume()
  await closed
  return bytes
}
