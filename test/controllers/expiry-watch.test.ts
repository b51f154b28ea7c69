import { expect } from 'chai'
import { ExpiryWatch } from '../../src/controllers/expiry-watch.ts'
import type { CertificateRecord } from '../../src/model/certificate-record.ts'
import { certificate } from '../builders/certificates.ts'
import { FakeClock } from '../fakes/clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

describe('ExpiryWatch', () => {
  let clock: FakeClock
  let changes: number
  let watch: ExpiryWatch

  beforeEach(() => {
    clock = new FakeClock(0)
    changes = 0
    watch = new ExpiryWatch({
      clock,
      timers: clock,
      onChange: () => {
        changes += 1
      },
    })
  })

  afterEach(() => {
    watch.stop()
    expect(clock.pending()).to.deep.equal([])
  })

  function endingIn(days: number): CertificateRecord {
    const object = { kind: 'Ingress', namespace: 'shop', name: 'web' }
    const serving = certificate('shop', { notAfterMs: clock.wallMs() + days * DAY_MS })
    return {
      source: 'ingress',
      namespace: 'shop',
      secret: 'tls',
      serving,
      users: [{ object, field: 'spec.tls[0].secretName' }],
    }
  }

  const reasons = (): readonly string[] => watch.warnings().map(({ reason }) => reason)

  it('R21-15: warns 21 days before the end and at the end, by its own timer', () => {
    watch.update([endingIn(22)])
    expect(reasons()).to.deep.equal([])
    clock.advance(DAY_MS)
    expect([reasons(), changes]).to.deep.equal([['CertificateExpiring'], 1])
    clock.advance(21 * DAY_MS - HOUR_MS)
    expect([reasons(), changes]).to.deep.equal([['CertificateExpiring'], 1])
    clock.advance(HOUR_MS)
    expect([reasons(), changes]).to.deep.equal([['CertificateExpired'], 2])
  })

  it('R13-1: names object, field and Secret, and says when', () => {
    watch.update([endingIn(1)])
    expect(watch.warnings()).to.deep.equal([
      {
        reason: 'CertificateExpiring',
        object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
        field: 'spec.tls[0].secretName',
        message: 'the certificate of the Secret "tls" expires at 2026-01-02T00:00:00.000Z; it serves on',
      },
    ])
  })

  it('says nothing any more once the certificate is renewed, and watches the new one', () => {
    watch.update([endingIn(1)])
    watch.update([endingIn(90)])
    expect(reasons()).to.deep.equal([])
    clock.advance(70 * DAY_MS)
    expect(reasons()).to.deep.equal(['CertificateExpiring'])
  })

  it('watches as many as there are', () => {
    const one = { ...endingIn(90), users: [] }
    watch.update(Array.from({ length: 200_000 }, () => one))
    expect(clock.pending()).to.have.length(1)
  })

  it('needs no timer where nothing serves', () => {
    watch.update([{ source: 'ingress', namespace: 'shop', secret: 'tls', serving: undefined, users: [] }])
    expect(clock.pending()).to.deep.equal([])
    expect(reasons()).to.deep.equal([])
  })
})
