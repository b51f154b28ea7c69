import { createServer } from 'node:net'
import { expect } from 'chai'
import { openClient } from '../../fakes/raw-client.ts'
import { RecordedConnection } from '../../fakes/recorded-connection.ts'
import type { BenchNow } from './bench.ts'

export function ownerCases(bench: BenchNow): void {
  it('may change at any time', async () => {
    const { client, served } = await bench().pair()
    client.write('one')
    await served.untilBytes(3)
    const next = new RecordedConnection().own(served.connection)
    client.write('two').end()
    await next.untilTold('ended')
    expect([served.bytes.toString(), next.bytes.toString()]).to.deep.equal(['one', 'two'])
    expect(served.told).to.deep.equal([])
  })

  it('of a connection that was accepted learns its peer', async () => {
    const { client, served } = await bench().pair()
    expect(served.connection.peerAddress).to.equal('127.0.0.1')
    expect(served.connection.peerPort).to.equal(client.socket.localPort)
  })

  it('of an IPv4 client behind an IPv6 socket learns its IPv4 address', async function ipv6() {
    const server = createServer()
    await new Promise<void>((resolve) => {
      server.listen({ host: '::ffff:127.0.0.1', port: 0 }, resolve)
    })
    const address = server.address()
    const peer = new Promise<string>((resolve) => {
      bench().transport.attach(server, (connection) => {
        resolve(connection.peerAddress)
        connection.close()
      })
    })
    const client = await openClient(typeof address === 'object' ? (address?.port ?? 0) : 0)
    expect(await peer).to.equal('127.0.0.1')
    client.socket.destroy()
    server.close()
  })
}
