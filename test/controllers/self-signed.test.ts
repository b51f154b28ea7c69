import { execFileSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { expect } from 'chai'
import { makeSelfSigned } from '../../src/controllers/self-signed.ts'

const NOW_MS = Date.UTC(2026, 5, 1)

describe('makeSelfSigned (R21-9)', () => {
  it('makes a certificate that it signed itself, for a year, with what a server needs', () => {
    const { chain, keyType, names, notBeforeMs, notAfterMs } = makeSelfSigned(NOW_MS)
    const certificate = new X509Certificate(chain)
    expect(certificate.verify(certificate.publicKey)).to.equal(true)
    expect(certificate.ca).to.equal(false)
    expect(certificate.keyUsage).to.deep.equal(['1.3.6.1.5.5.7.3.1'])
    expect({ keyType, names }).to.deep.equal({ keyType: 'ec', names: ['default.ramjet.invalid'] })
    expect(notBeforeMs).to.equal(Date.UTC(2026, 4, 31))
    expect(notAfterMs).to.equal(Date.UTC(2027, 5, 1))
  })

  it('is well formed for OpenSSL, before and after 2050', () => {
    for (const nowMs of [NOW_MS, Date.UTC(2060, 0, 1)]) {
      const { chain } = makeSelfSigned(nowMs)
      const text = execFileSync('openssl', ['x509', '-noout', '-text'], { input: chain }).toString()
      expect(text).to.contain('Version: 3').and.contain('ecdsa-with-SHA256').and.contain('DNS:default.ramjet.invalid')
    }
  })

  it('has a key of its own each time, and one handle in every process', () => {
    const [one, other] = [makeSelfSigned(NOW_MS), makeSelfSigned(NOW_MS)]
    expect(one.key).to.not.equal(other.key)
    expect(one.handle).to.equal(other.handle)
  })
})
