import { execFile } from 'node:child_process'
import { createServer, type Server } from 'node:net'
import { promisify } from 'node:util'
import { expect } from 'chai'
import { createHandleTransport } from '../../../src/dataplane/transport/handle.ts'
import { transportContract } from '../../contract/transport.ts'
import { listening } from '../../fakes/listening.ts'
import { openClient } from '../../fakes/raw-client.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import type { RecordedSocket } from '../../fakes/recorded-socket.ts'

const run = promisify(execFile)
const HANDLE = new URL('../../../src/dataplane/transport/handle.ts', import.meta.url).href

transportContract('handle', () => {
  const made = createHandleTransport()
  if (!made.ok) throw new Error(made.error.message)
  return made.value
})

describe('a handle whose peer wrote and then reset the connection', () => {
  const ANSWER = 'HTTP/1.1 413 Content Too Large\r\n\r\n'
  let server: Server
  let client: RecordedSocket
  let served: RecordedConnection

  beforeEach(async () => {
    const made = createHandleTransport()
    if (!made.ok) throw new Error(made.error.message)
    server = createServer()
    const port = await listening(server)
    const accepted = new Promise<RecordedConnection>((resolve) => {
      made.value.attach(server, (connection) => resolve(new RecordedConnection().own(connection)))
    })
    client = await openClient(port)
    served = await accepted
    served.send('unread')
  })
  afterEach(() => server.close())

  /** Both go out at once, and no event comes before the send behind them. */
  function writeAndReset(): void {
    client.socket.write(ANSWER)
    client.reset()
  }

  it('R20-58: is read to its end, although a send fails first', async () => {
    writeAndReset()
    expect(served.send('more of the body')).to.equal(true)
    expect(served.send('and more')).to.equal(true)
    await served.untilTold('closed')
    expect(served.bytes.toString()).to.equal(ANSWER)
    expect(served.told.join()).to.match(/^closed: (?:ECONNRESET|EPIPE)$/)
  })

  it('is given up at once where nobody reads it', async () => {
    served.call((connection) => connection.pause())
    writeAndReset()
    served.send('more')
    expect(served.connection.isClosed).to.equal(true)
    await served.untilTold('closed')
  })

  it('is given up where its owner stops reading', async () => {
    writeAndReset()
    served.send('more')
    served.call((connection) => connection.pause())
    await served.untilTold('closed')
    expect(served.told.join()).to.match(/^closed: (?:ECONNRESET|EPIPE)$/)
  })
})

describe('createHandleTransport', () => {
  const program = `const { createHandleTransport } = await import('${HANDLE}')
const made = createHandleTransport()
console.log(JSON.stringify(made.ok || made.error))`

  it('is refused under the permission model (R60-25)', async () => {
    const args = ['--permission', '--allow-fs-read=*', '--input-type=module', '-e', program]
    const { stdout } = await run(process.execPath, args)
    expect(JSON.parse(stdout)).to.deep.equal({
      errno: 'ERR_ACCESS_DENIED',
      message: 'the permission model of Node is on',
    })
  })

  it('writes nothing to stderr, in a worker thread either', async () => {
    const worker = `import { Worker } from 'node:worker_threads'
new Worker(${JSON.stringify(`(async () => { ${program} })()`)}, { eval: true })`
    const { stdout, stderr } = await run(process.execPath, ['--input-type=module', '-e', worker])
    expect({ stdout, stderr }).to.deep.equal({ stdout: 'true\n', stderr: '' })
  })
})
