import { expect } from 'chai'
import { DefaultCertificateLog } from '../../src/controllers/default-certificate-log.ts'
import type { CertificateRecord } from '../../src/model/certificate-record.ts'
import { certificate } from '../builders/certificates.ts'
import { FakeLogger } from '../fakes/logger.ts'

const BASE = { source: 'default', namespace: 'system', secret: 'fallback', users: [] } as const
const GOOD: CertificateRecord = { ...BASE, serving: certificate('default') }
const MISSING: CertificateRecord = { ...BASE, serving: undefined, problem: 'does not exist' }
const BROKEN: CertificateRecord = { ...GOOD, problem: 'has no tls.key' }
/** That of `--self-signed-default`. */
const OWN: CertificateRecord = { ...GOOD, namespace: '', secret: '' }

describe('DefaultCertificateLog', () => {
  it('tells once what is wrong with the Secret of the flag, and that it is mended', () => {
    const log = new FakeLogger()
    const told = new DefaultCertificateLog(log)
    for (const record of [MISSING, MISSING, GOOD, GOOD, BROKEN, GOOD]) told.update([record])
    expect(log.records.map(({ level, fields }) => [level, fields['problem'], fields['effect']])).to.deep.equal([
      ['warn', 'does not exist', 'there is no default certificate'],
      ['info', undefined, undefined],
      ['warn', 'has no tls.key', 'the last good pair serves on'],
      ['info', undefined, undefined],
    ])
  })

  it('says that what was made at start stands in for it (R21-9)', () => {
    const log = new FakeLogger()
    new DefaultCertificateLog(log).update([MISSING, OWN])
    expect(log.records.map(({ fields }) => fields['effect'])).to.deep.equal([
      'the certificate that was made at start serves',
    ])
  })

  it('says nothing where none is named, or where it is good from the start', () => {
    const log = new FakeLogger()
    const told = new DefaultCertificateLog(log)
    told.update([{ ...MISSING, source: 'ingress' }, OWN])
    told.update([GOOD])
    expect(log.records).to.deep.equal([])
  })
})
