import { expect } from 'chai'
import { certificatesView } from '../../src/admin/certificates-view.ts'
import type { CertificateRecord } from '../../src/model/certificate-record.ts'
import { certificate, certificateTable } from '../builders/certificates.ts'
import { asPair, tablesOf } from '../builders/pair.ts'

const DAY_MS = 24 * 3_600_000
const NOW_MS = Date.UTC(2026, 0, 1)

function record(secret: string, days: number, over: Partial<CertificateRecord> = {}): CertificateRecord {
  return {
    source: 'ingress',
    namespace: 'shop',
    secret,
    serving: certificate(secret, { notBeforeMs: NOW_MS, notAfterMs: NOW_MS + days * DAY_MS }),
    users: [],
    ...over,
  }
}

function shown(records: readonly CertificateRecord[], hosts: readonly string[] = []) {
  const { routes, endpoints } = tablesOf({})
  const pair = asPair({ endpoints, routes: { ...routes, certificates: certificateTable(hosts) } })
  return certificatesView({ pair, records, nowMs: NOW_MS }) as {
    certificates: readonly Readonly<Record<string, unknown>>[]
  }
}

describe('GET /admin/certificates (R32-14)', () => {
  it('has the soonest expiry first, and at the end what has nothing usable', () => {
    const rejected = record('c', 0, { serving: undefined, problem: 'does not exist' })
    const { certificates } = shown([
      rejected,
      record('b', 90),
      record('a', 5),
      record('d', -1),
      record('e', 50, { problem: 'has no tls.key' }),
    ])
    expect(certificates.map(({ secret, state, reason }) => [secret, state, reason])).to.deep.equal([
      ['d', 'expiring', 'expired at 2025-12-31T00:00:00.000Z'],
      ['a', 'expiring', 'expires at 2026-01-06T00:00:00.000Z'],
      ['e', 'last-good', 'has no tls.key'],
      ['b', 'ok', null],
      ['c', 'rejected', 'does not exist'],
    ])
  })

  it('names the server names that serve by it, the default as *, and never the key', () => {
    const document = shown([record('shop.example', 90), record('', 91)], ['shop.example', ''])
    expect(document.certificates[0]).to.deep.equal({
      names: ['shop.example'],
      namespace: 'shop',
      secret: 'shop.example',
      source: 'ingress',
      handle: certificate('shop.example').handle,
      not_before: '2026-01-01T00:00:00.000Z',
      not_after: '2026-04-01T00:00:00.000Z',
      hosts: ['shop.example'],
      state: 'ok',
      reason: null,
    })
    expect(document.certificates[1]).to.deep.include({ hosts: ['*'] })
    expect(JSON.stringify(document)).to.not.contain('key of').and.not.contain('chain of')
  })

  it('R30-17: has what only a pinned generation serves by', () => {
    const { certificates } = shown([], ['old.example'])
    expect(certificates.map(({ hosts, secret }) => [hosts, secret])).to.deep.equal([[['old.example'], '']])
  })
})
