import { Socket } from 'node:net'
import { expect } from 'chai'
import { Contexts } from '../../../src/dataplane/tls/contexts.ts'
import { PolicyServers } from '../../../src/dataplane/tls/policy-servers.ts'
import type { TlsPolicy } from '../../../src/model/certificate-table.ts'
import { certificateTableOf, pairFor } from '../../builders/secure-names.ts'
import { settled } from '../../fakes/clock.ts'
import { FakeCounters } from '../../fakes/counters.ts'

const LIMIT = 1024
const ONE = [pairFor('ec.example')]
const TWO = [pairFor('rsa.example', 'rsa'), pairFor('ec.example')]

describe('the TLS servers of a worker (R21-3)', () => {
  let counters: FakeCounters
  let servers: PolicyServers

  beforeEach(() => {
    counters = new FakeCounters()
    servers = new PolicyServers({
      contexts: new Contexts({ counters, monotonicMs: () => 0, nextTurn: settled }),
      counters,
      settings: { minVersion: '1.2', handshakeTimeoutMs: 10_000 },
      protocols: ['http/1.1'],
      secured: () => undefined,
    })
  })

  /** A client that begins a handshake for a host of this policy, and is gone. */
  function greet(pairs: typeof ONE, policy: TlsPolicy = {}): void {
    const table = certificateTableOf({ 'shop.example': { pairs, policy } })
    const [name] = table.serverNames.values()
    if (!name) return
    const socket = new Socket()
    socket.on('error', () => undefined)
    const origin = { localPort: 443, proxied: undefined }
    servers.terminate(socket, { origin, table, name, host: 'shop.example', sentName: true })
    socket.destroy()
  }

  it('are one for each policy, and one more for each two certificates', () => {
    for (const pairs of [ONE, ONE, TWO, TWO, TWO.toReversed()]) greet(pairs)
    expect(servers.size).to.equal(3)
    for (const preferServerCiphers of [true, false, true]) greet(ONE, { preferServerCiphers })
    expect(servers.size).to.equal(5)
    expect(counters.process('tlsContextsBuilt'), 'once for each two certificates').to.equal(2)
  })

  it(`are at most ${LIMIT}: those that were not used for longest make room`, () => {
    greet(TWO, { preferServerCiphers: true })
    for (let index = 0; index < LIMIT + 10; index += 1) {
      greet(ONE, { ciphers: `HIGH:!none-${index}` })
      if (index % 500 === 0) greet(TWO)
    }
    expect(servers.size).to.equal(LIMIT)
    expect(counters.process('tlsContextsBuilt')).to.equal(2)
    greet(TWO)
    expect(counters.process('tlsContextsBuilt'), 'still there').to.equal(2)
    greet(TWO, { preferServerCiphers: true })
    expect(counters.process('tlsContextsBuilt'), 'made anew').to.equal(3)
  })
})
