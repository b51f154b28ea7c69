import { expect } from 'chai'
import { Contexts } from '../../../src/dataplane/tls/contexts.ts'
import type { CertificateTable, ServerName } from '../../../src/model/certificate-table.ts'
import { certificateTableOf, pairFor } from '../../builders/secure-names.ts'
import { FakeCounters } from '../../fakes/counters.ts'

const { cert, key } = pairFor('shop.example')

/** So many hosts, each with a certificate of its own. */
function tableOf(hosts: number): CertificateTable {
  const names = Array.from({ length: hosts }, (_none, index) => [
    `${index}.example`,
    { pairs: [{ cert: `${index}\n${cert}`, key }] },
  ])
  return certificateTableOf(Object.fromEntries(names))
}

function namesOf({ serverNames }: CertificateTable): ServerName[] {
  return [...serverNames.values()]
}

describe('the secure contexts of a worker', () => {
  let nowMs = 0
  let turns = 0
  let counters: FakeCounters
  let contexts: Contexts

  /** Each look at the clock takes so long. */
  function contextsWith(stepMs: number): Contexts {
    nowMs = 0
    turns = 0
    counters = new FakeCounters()
    return new Contexts({
      counters,
      monotonicMs: () => {
        nowMs += stepMs
        return nowMs
      },
      nextTurn: async () => {
        turns += 1
        await Promise.resolve()
      },
    })
  }

  it('R21-17: are made in slices, between which the event loop turns', async () => {
    contexts = contextsWith(0.7)
    const table = tableOf(30)
    expect(await contexts.prepare(table, namesOf(table))).to.equal(undefined)
    expect(counters.process('tlsContextsBuilt')).to.equal(30)
    expect(turns).to.be.within(8, 30)
  })

  it('R30-10: are left to their first handshakes where a publish would wait too long', async () => {
    contexts = contextsWith(700)
    const table = tableOf(30)
    expect(await contexts.prepare(table, namesOf(table))).to.equal(undefined)
    expect(contexts.size).to.be.within(1, 5)
    const last = namesOf(table).at(-1)
    if (!last) return expect.fail('no name')
    const built = contexts.size
    contexts.of(table, last)
    contexts.of(table, last)
    expect(counters.process('tlsContextsBuilt')).to.equal(built + 1)
  })

  it('are shared by names with equal certificates and suites, and by no other', async () => {
    contexts = contextsWith(0)
    const pairs = [{ cert, key }]
    const own = { ciphers: 'ECDHE-ECDSA-AES256-GCM-SHA384' }
    const table = certificateTableOf({
      'a.example': { pairs },
      'b.example': { pairs },
      'c.example': { pairs, policy: own },
    })
    await contexts.prepare(table, namesOf(table))
    expect(contexts.size).to.equal(2)
  })

  it('are forgotten when no name has them', async () => {
    contexts = contextsWith(0)
    const table = tableOf(3)
    await contexts.prepare(table, namesOf(table))
    contexts.retain(namesOf(table).slice(0, 1))
    expect(contexts.size).to.equal(1)
    expect(contexts.lacks(namesOf(table).slice(0, 1))).to.equal(false)
    expect(contexts.lacks(namesOf(table))).to.equal(true)
  })

  it('say of which host one cannot be made, without a word of the key', async () => {
    contexts = contextsWith(0)
    const table = certificateTableOf({ 'bad.example': { pairs: [{ cert, key: pairFor('other.example').key }] } })
    expect(await contexts.prepare(table, namesOf(table))).to.match(
      /^no TLS context for bad\.example: .*key values mismatch/,
    )
  })
})
