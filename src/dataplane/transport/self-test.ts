// Whether a transport does on this machine what it must, found out over loopback before anything depends on it (R60-25).
import { createServer, type Server } from 'node:net'
import { messageOf } from '../../lib/errors.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import { TestPeer } from './test-peer.ts'
import type { Transport, TransportFault } from './transport.ts'

const MIB = 1024 * 1024
/** More than any kernel takes for a peer that reads nothing. */
const MOST_BYTES = 64 * MIB
/** Of the event loop, in which a connection that is not really paused would be read. */
const PAUSED_TURNS = 3
/** Far above what a machine needs that has forty times too much to do; who hangs must not hold up the start for good. */
const PATIENCE_MS = 30_000

/** Runs echo, partial write, 1 MiB of back-pressure and reset through `transport`; the first fault ends it. */
export async function testTransport(
  transport: Transport,
  patienceMs: number = PATIENCE_MS,
): Promise<Result<void, TransportFault>> {
  const server = createServer()
  const peers: TestPeer[] = []
  let timer: NodeJS.Timeout | undefined
  const tooLong = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new SelfTestError('ETIMEDOUT', 'the self-test took too long')), patienceMs)
  })
  try {
    await Promise.race([runAll(transport, server, peers), tooLong])
    return ok(undefined)
  } catch (thrown) {
    return err({ errno: errnoOf(thrown), message: messageOf(thrown) })
  } finally {
    clearTimeout(timer)
    for (const peer of peers) peer.connection.close()
    server.close()
  }
}

class SelfTestError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

async function runAll(transport: Transport, server: Server, peers: TestPeer[]): Promise<void> {
  const port = await listen(server)
  const waiting: ((peer: TestPeer) => void)[] = []
  transport.attach(server, (connection) => {
    const peer = new TestPeer(connection)
    peers.push(peer)
    waiting.shift()?.(peer)
  })
  const pair = async (): Promise<readonly [caller: TestPeer, served: TestPeer]> => {
    const accepted = new Promise<TestPeer>((resolve) => {
      waiting.push(resolve)
    })
    const caller = TestPeer.connect(transport, port)
    peers.push(caller)
    await caller.whenOpened()
    return [caller, await accepted]
  }
  await echo(...(await pair()))
  await holdBack(...(await pair()))
  await reset(...(await pair()))
}

async function echo(caller: TestPeer, served: TestPeer): Promise<void> {
  const question = Buffer.from('a question')
  caller.send(question)
  await served.whenBytes(question.length)
  served.send(served.lastBytes)
  await caller.whenBytes(question.length)
  demand(caller.lastBytes.equals(question), 'an echo came back changed')
  caller.connection.end()
  await served.whenEnded()
  served.connection.end()
  await Promise.all([caller.whenClosed(), served.whenClosed()])
}

// Sends until the kernel takes a write in part only, and 1 MiB more: nothing of it may be lost, changed or read early.
async function holdBack(caller: TestPeer, served: TestPeer): Promise<void> {
  served.connection.pause()
  const block = countedBlock()
  let sent = 0
  let isTaken = true
  while (isTaken && sent < MOST_BYTES) {
    isTaken = caller.send(block)
    sent += block.length
  }
  demand(!isTaken, 'a peer that reads nothing held nothing back')
  caller.send(block)
  sent += block.length
  demand(caller.connection.queuedBytes >= MIB, 'what waits to be sent is not counted')
  served.expectAgainAndAgain(block)
  await turns(PAUSED_TURNS)
  demand(served.connection.bytesRead === 0, 'a paused connection was read')
  served.connection.resume()
  await Promise.all([caller.whenDrained(), served.whenBytes(sent)])
  demand(served.isAsExpected && served.connection.bytesRead === sent, 'bytes were lost or changed under back-pressure')
}

// Who closes with something unread resets the connection.
async function reset(caller: TestPeer, served: TestPeer): Promise<void> {
  served.connection.pause()
  caller.send(Buffer.from('never read'))
  served.connection.close()
  const error = await caller.whenClosed()
  demand(error === 'ECONNRESET', `a reset was told as ${error ?? 'an end'}`)
}

/** 1 MiB in which no stretch that a read could lose, double or move looks like the one beside it. */
function countedBlock(): Buffer {
  const block = Buffer.allocUnsafe(MIB)
  for (let at = 0; at < MIB; at += 1) block[at] = at + (at >>> 8)
  return block
}

function turns(count: number): Promise<void> {
  return new Promise((resolve) => {
    const next = (left: number): void => {
      if (left === 0) resolve()
      else setImmediate(next, left - 1)
    }
    next(count)
  })
}

function demand(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new SelfTestError('EPROTO', otherwise)
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

function errnoOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error ? Reflect.get(thrown, 'code') : undefined
  return typeof code === 'string' ? code : 'EPROTO'
}
