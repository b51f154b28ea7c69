import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { listening } from '../../fakes/listening.ts'
import type { RecordedConnection } from '../../fakes/recorded-connection.ts'
import { RecordedSocket } from '../../fakes/recorded-socket.ts'
import { type BenchNow, MUCH } from './bench.ts'

/** A connection of ours whose peer wrote something and then reset it. */
export function resetCases(bench: BenchNow): void {
  const ANSWER = 'HTTP/1.1 413 Content Too Large\r\n\r\n'
  const RESET = /^opened,closed: (?:ECONNRESET|EPIPE)$/
  let server: Server
  let peer: RecordedSocket
  let caller: RecordedConnection

  beforeEach(async () => {
    server = createServer()
    const port = await listening(server)
    const accepted = new Promise<RecordedSocket>((resolve) => {
      server.on('connection', (socket) => resolve(new RecordedSocket(socket)))
    })
    caller = bench().connect({ host: '127.0.0.1', port })
    await caller.untilTold('opened')
    peer = await accepted
    caller.send('unread')
  })
  afterEach(() => {
    server.close()
    expect(caller.within).to.deep.equal([])
  })

  /** Both go out at once, and no event comes before the send behind them. */
  function writeAndReset(): void {
    peer.socket.write(ANSWER)
    peer.reset()
  }

  it('R20-58: is read to its end, although a send fails first', async () => {
    writeAndReset()
    expect(caller.send('more of the body')).to.equal(true)
    expect(caller.send('and more')).to.equal(true)
    await caller.untilTold('closed')
    expect(caller.bytes.toString()).to.equal(ANSWER)
    expect(caller.told.join()).to.match(RESET)
  })

  it('is told as gone, and never as drained, where a send that waits fails', async () => {
    peer.socket.pause()
    caller.send(Buffer.alloc(MUCH))
    writeAndReset()
    caller.send('more')
    await caller.untilTold('closed')
    // What is read of it may end before the send fails.
    expect(caller.told.filter((told) => told !== 'ended').join()).to.match(RESET)
  })

  it('is given up at once where nobody reads it', async () => {
    caller.call((connection) => connection.pause())
    writeAndReset()
    caller.send('more')
    await caller.untilTold('closed')
    expect(caller.bytes).to.have.length(0)
    expect(caller.told.join()).to.match(RESET)
  })

  it('is given up where its owner stops reading', async () => {
    writeAndReset()
    caller.send('more')
    caller.call((connection) => connection.pause())
    await caller.untilTold('closed')
    expect(caller.told.join()).to.match(RESET)
  })

  it('is closed by its owner all the same', async () => {
    writeAndReset()
    caller.send('more')
    caller.call((connection) => connection.close())
    await caller.untilTold('closed')
    expect(caller.bytes).to.have.length(0)
  })
}
