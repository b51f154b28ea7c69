import { createServer, type Server } from 'node:net'
import { expect } from 'chai'
import { BindError, checkAddresses, explainFault } from '../../src/dataplane/bind-check.ts'
import { type SocketAddress, socketsOf } from '../../src/dataplane/socket-address.ts'

const HOST = { uid: 1000, maxOpenFiles: 1024 }

function faultOf(errno: string, port = 80): string {
  return explainFault({ address: `192.0.2.1:${port}`, port, errno, cause: 'the words of the system' }, HOST)
}

describe('checkAddresses', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function taken(reusePort: boolean): Promise<SocketAddress> {
    const server = createServer()
    servers.push(server)
    await new Promise<void>((resolve) => server.listen({ host: '127.0.0.1', port: 0, reusePort }, resolve))
    const address = server.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    return { host: '127.0.0.1', port, group: 0, optional: false, secure: false }
  }

  it('lets free addresses through and leaves them free', async () => {
    const addresses = socketsOf({ http: [{ host: '127.0.0.1', port: 0 }], https: [] })
    expect(await checkAddresses(addresses)).to.deep.equal(addresses)
  })

  it('tells every fault in one error, also of a port that is shared with reusePort (R20-22, R20-25)', async () => {
    const [plain, shared] = [await taken(false), await taken(true)]
    const elsewhere = { host: '192.0.2.1', port: 0, group: 2, optional: false, secure: false }
    const error: unknown = await checkAddresses([plain, shared, elsewhere]).then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    if (!(error instanceof BindError)) return expect.fail('no BindError')
    expect(error.code).to.equal('RAMJET_BIND_FAILED')
    expect(error.faults.map(({ errno }) => errno)).to.deep.equal(['EADDRINUSE', 'EADDRINUSE', 'EADDRNOTAVAIL'])
    expect(error.message.split('\n')).to.have.length(3)
    expect(error.message).to.include(`127.0.0.1:${shared.port}`).and.to.include('192.0.2.1:0')
  })

  it('does without an optional address that this machine does not have', async () => {
    const optional = { host: '192.0.2.1', port: 0, group: 0, optional: true, secure: false }
    expect(await checkAddresses([optional])).to.deep.equal([])
  })
})

describe('explainFault', () => {
  it('names address, user and every remedy for a port below 1024 (R20-26)', () => {
    expect(faultOf('EACCES'))
      .to.include('192.0.2.1:80')
      .and.to.include('user 1000')
      .and.to.include('a higher port behind the Service')
      .and.to.include('net.ipv4.ip_unprivileged_port_start=0')
      .and.to.include('NET_BIND_SERVICE')
  })

  it('speaks of no sysctl where the port is not the reason', () => {
    expect(faultOf('EACCES', 8080)).to.include('not permitted').and.not.to.include('sysctl')
  })

  it('names the port that is in use and who may hold it (R20-27)', () => {
    expect(faultOf('EADDRINUSE')).to.include('port 80').and.to.include('another ingress controller or a second replica')
  })

  it('says that an address is not on this host, and how many open files there may be (R20-28)', () => {
    expect(faultOf('EADDRNOTAVAIL')).to.include('this host does not have that address')
    expect(faultOf('EMFILE')).to.include('1024').and.to.include('--max-connections')
  })

  it("uses the system's words for everything else", () => {
    expect(faultOf('EIO')).to.equal('cannot bind 192.0.2.1:80: the words of the system')
  })
})

describe('socketsOf', () => {
  it('makes both families of an address without a host, in one group, IPv6 optional (R20-17)', () => {
    expect(
      socketsOf({
        http: [
          { host: '127.0.0.1', port: 1 },
          { host: undefined, port: 0 },
        ],
        https: [{ host: undefined, port: 0 }],
      }),
    ).to.deep.equal([
      { host: '127.0.0.1', port: 1, group: 0, optional: false, secure: false },
      { host: '0.0.0.0', port: 0, group: 1, optional: false, secure: false },
      { host: '::', port: 0, group: 1, optional: true, secure: false },
      { host: '0.0.0.0', port: 0, group: 2, optional: false, secure: true },
      { host: '::', port: 0, group: 2, optional: true, secure: true },
    ])
  })
})
