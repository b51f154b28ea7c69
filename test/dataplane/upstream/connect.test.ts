import { createServer, type Server, type Socket } from 'node:net'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { Worker } from 'node:worker_threads'
import { expect } from 'chai'
import { UpstreamConnectError, UpstreamConnectTimeoutError } from '../../../src/dataplane/errors.ts'
import { type ConnectFault, connectEndpoint } from '../../../src/dataplane/upstream/connect.ts'
import { connectFailureOf } from '../../../src/dataplane/upstream/connect-failure.ts'
import { endpoint } from '../../builders/route-table.ts'
import { settled } from '../../fakes/clock.ts'
import { listening } from '../../fakes/listening.ts'

function connectTo(
  port: number,
  timeoutMs = 5000,
): Promise<{ readonly fault: ConnectFault | undefined; readonly socket: Socket }> {
  return new Promise((resolve) => {
    connectEndpoint(endpoint(`127.0.0.1:${port}`), { timeoutMs, bufferBytes: 1024 }, (fault, socket) =>
      resolve({ fault, socket }),
    )
  })
}

describe('connectEndpoint', () => {
  const servers: Server[] = []

  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  it('gives a connected socket that has an error listener and the buffers that were asked for (R70-70)', async () => {
    const server = createServer((socket) => socket.destroy())
    servers.push(server)
    const { fault, socket } = await connectTo(await listening(server))
    expect(fault).to.equal(undefined)
    expect(socket.listenerCount('error')).to.be.above(0)
    expect([socket.readableHighWaterMark, socket.writableHighWaterMark]).to.deep.equal([1024, 1024])
    socket.destroy()
  })

  it('holds nothing of whom it told, once it is connected', async () => {
    const server = createServer()
    servers.push(server)
    const port = await listening(server)
    const { socket, told } = await new Promise<{ socket: Socket; told: WeakRef<object> }>((resolve) => {
      const done = (_fault: ConnectFault | undefined, connected: Socket): void =>
        resolve({ socket: connected, told: new WeakRef(done) })
      connectEndpoint(endpoint(`127.0.0.1:${port}`), { timeoutMs: 5000, bufferBytes: 1024 }, done)
    })
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    for (let tries = 0; tries < 100 && told.deref(); tries += 1) {
      await settled()
      collect()
    }
    expect(told.deref()).to.equal(undefined)
    expect(socket.destroyed).to.equal(false)
    socket.destroy()
  })

  it('tells a refused connection', async () => {
    const server = createServer()
    const port = await listening(server)
    await new Promise((resolve) => {
      server.close(resolve)
    })
    const { fault } = await connectTo(port)
    expect(fault).to.be.instanceOf(UpstreamConnectError)
    expect(fault?.failure).to.equal('refused')
    expect(fault?.status).to.equal(502)
    expect(fault?.safeToRetry).to.equal(true)
    expect(fault?.context).to.deep.equal({ endpoint: `127.0.0.1:${port}`, failure: 'refused' })
  })

  it('R20-108: tells one that nobody takes in time', async () => {
    // A listener whose thread stands still: once its queue is full the kernel answers no further connection.
    const worker = new Worker(DEAF, { eval: true })
    const port = await new Promise<number>((resolve) => worker.once('message', resolve))
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => connectTo(port, 100)))
    const faults = outcomes.flatMap(({ fault }) => fault ?? [])
    expect(faults.length).to.be.above(0)
    for (const fault of faults) {
      expect(fault).to.be.instanceOf(UpstreamConnectTimeoutError)
      expect([fault.status, fault.failure, fault.code]).to.deep.equal([
        504,
        'timeout',
        'RAMJET_UPSTREAM_CONNECT_TIMEOUT',
      ])
    }
    for (const { socket } of outcomes) socket.destroy()
    await worker.terminate()
  })
})

const DEAF = `
  const { parentPort } = require('node:worker_threads')
  const server = require('node:net').createServer()
  server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10000)
  })
`

describe('connectFailureOf', () => {
  for (const { code, want } of [
    { code: 'ECONNREFUSED', want: 'refused' },
    { code: 'ETIMEDOUT', want: 'timeout' },
    { code: 'ECONNRESET', want: 'reset' },
    { code: 'EHOSTUNREACH', want: 'unreachable' },
    { code: 'ENETUNREACH', want: 'unreachable' },
    { code: 'EMFILE', want: 'other' },
    { code: undefined, want: 'other' },
  ]) {
    it(`${code ?? 'no code'} is ${want}`, () => {
      expect(connectFailureOf(Object.assign(new Error('x'), code === undefined ? {} : { code }))).to.equal(want)
    })
  }
})
