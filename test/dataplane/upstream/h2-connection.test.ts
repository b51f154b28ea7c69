import { expect } from 'chai'
import { DEFAULT_LIMITS } from '../../../src/dataplane/engine-limits.ts'
import type { Connection, ConnectionEvents } from '../../../src/dataplane/transport/transport.ts'
import { wayOf } from '../../../src/dataplane/upstream/way.ts'
import { WayDialer } from '../../../src/dataplane/upstream/way-dialer.ts'
import { backend, endpoint } from '../../builders/route-table.ts'
import { eventually, settled } from '../../fakes/clock.ts'
import { ProtocolOrigin } from '../../fakes/protocol-origin.ts'

const WAY = wayOf(backend('shop/web:80', { protocol: 'h2c' }))
const REQUEST = [
  'POST /a?b HTTP/1.1\r\nHost: shop.example\r\nTransfer-Encoding: chunked\r\n\r\n',
  '3;x="y"\r\nabc\r\na\r\ndefghijklm\r\n0\r\nX-Sum: 13\r\n\r\n',
].join('')

/** What an engine is told, in order; a call within a call of its own would show as such. */
class Engine implements ConnectionEvents {
  readonly told: string[] = []
  text = ''
  isWithin = false

  opened(): void {
    this.#tell('opened')
  }

  received(bytes: Buffer, length: number): void {
    this.text += bytes.toString('latin1', 0, length)
    this.#tell('received')
  }

  ended(): void {
    this.#tell('ended')
  }

  drained(): void {
    this.#tell('drained')
  }

  closed(error: string | undefined): void {
    this.#tell(`closed ${error ?? ''}`)
  }

  /** Something that the engine does to its connection. */
  does(what: () => void): void {
    this.isWithin = true
    what()
    this.isWithin = false
  }

  async until(what: string): Promise<void> {
    while (!this.told.includes(what)) await settled()
  }

  #tell(what: string): void {
    this.told.push(this.isWithin ? `${what} within a call` : what)
  }
}

describe('a request on a session of HTTP/2 (R20-7)', () => {
  let origin: ProtocolOrigin
  let dialer: WayDialer

  beforeEach(async () => {
    origin = await ProtocolOrigin.start('h2c')
    dialer = new WayDialer({ limits: DEFAULT_LIMITS, connectTimeoutMs: 5000, nowMs: () => 0 })
  })
  afterEach(() => {
    dialer.destroy()
    origin.stop()
  })

  function dial(engine: Engine, { by = dialer, to = origin, connectTimeoutMs = 60_000 } = {}): Connection {
    if (!WAY) throw new Error('a backend of HTTP/2 has no way')
    return by.dial({ endpoint: endpoint(to.address), way: WAY, connectTimeoutMs }, engine)
  }

  it('is the same wherever what the engine writes is cut', async () => {
    origin.handler = (incoming, response) => {
      let text = ''
      incoming.on('data', (chunk: Buffer) => {
        text += chunk.toString()
      })
      incoming.on('end', () => {
        const { method, url, headers, trailers } = incoming
        response.end(JSON.stringify([method, url, headers['transfer-encoding'], text, trailers['x-sum']]))
      })
    }
    const bytes = Buffer.from(REQUEST, 'latin1')
    for (let cut = 1; cut < bytes.length; cut += 1) {
      const engine = new Engine()
      const connection = dial(engine)
      await engine.until('opened')
      engine.does(() => {
        connection.send(Buffer.from(bytes), 0, cut)
        connection.send(Buffer.from(bytes), cut, bytes.length)
      })
      await engine.until('ended')
      expect(engine.text, `cut at ${cut}`).to.contain('["POST","/a?b",null,"abcdefghijklm","13"]')
      connection.close()
      await engine.until('closed ')
    }
    expect(origin.sockets).to.have.length(1)
  })

  it('keeps nothing of the buffer that it was given', async () => {
    origin.handler = (incoming, response) => {
      incoming.on('data', (chunk: Buffer) => response.end(chunk.toString()))
    }
    const engine = new Engine()
    const connection = dial(engine)
    await engine.until('opened')
    const bytes = Buffer.from('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc', 'latin1')
    engine.does(() => {
      expect(connection.send(bytes, 0, bytes.length)).to.equal(true)
      bytes.fill('x')
    })
    await engine.until('ended')
    expect(engine.text).to.contain('abc')
    expect(engine.told).to.include('drained')
    connection.close()
  })

  it('is told of nothing while it is paused, and then of all that came', async () => {
    origin.handler = (_incoming, response) => void response.end('body')
    const engine = new Engine()
    const connection = dial(engine)
    await engine.until('opened')
    engine.does(() => {
      connection.pause()
      const bytes = Buffer.from('GET / HTTP/1.1\r\nHost: a\r\n\r\n', 'latin1')
      connection.send(bytes, 0, bytes.length)
    })
    for (let turn = 0; turn < 50; turn += 1) await settled()
    expect(engine.told).to.deep.equal(['opened'])
    engine.does(() => connection.resume())
    await engine.until('ended')
    expect(engine.text).to.contain('body')
    connection.close()
  })

  it('never tells within a call, and of its close once and last', async () => {
    const engine = new Engine()
    const connection = dial(engine)
    await engine.until('opened')
    engine.does(() => {
      connection.close()
      connection.close()
    })
    expect(connection.isClosed).to.equal(true)
    await engine.until('closed ')
    engine.does(() => expect(connection.send(Buffer.from('GET'), 0, 3)).to.equal(true))
    for (let turn = 0; turn < 20; turn += 1) await settled()
    expect(engine.told).to.deep.equal(['opened', 'closed '])
  })

  it('fails where what is written is no request', async () => {
    const engine = new Engine()
    const connection = dial(engine)
    await engine.until('opened')
    const bytes = Buffer.from('GET / HTTP/1.1\r\nno field\r\n\r\n', 'latin1')
    engine.does(() => connection.send(bytes, 0, bytes.length))
    await engine.until('closed INVALID_MESSAGE')
  })

  it('R20-116: a session that never has room for a stream is given up, and not waited for by all that follow', async () => {
    const full = await ProtocolOrigin.start('h2c', { options: { settings: { maxConcurrentStreams: 0 } } })
    const hasty = new WayDialer({ limits: DEFAULT_LIMITS, connectTimeoutMs: 300, nowMs: () => 0 })
    for (let dials = 1; dials <= 2; dials += 1) {
      const engine = new Engine()
      dial(engine, { by: hasty, to: full, connectTimeoutMs: 300 })
      await engine.until('closed ETIMEDOUT')
      // Where that was too short for the connect, its origin sees it all the same.
      await eventually(() => full.sockets.length >= dials)
      expect(full.sockets).to.have.length(dials)
    }
    hasty.destroy()
    full.stop()
  })

  it('R20-116: more than so many do not wait', async () => {
    origin.server.removeAllListeners('connection')
    const engines = Array.from({ length: 1001 }, () => new Engine())
    for (const engine of engines) dial(engine)
    await engines.at(-1)?.until('closed EAGAIN')
    expect(engines.filter(({ told }) => told.length > 0)).to.have.length(1)
  })
})
