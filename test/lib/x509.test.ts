import { expect } from 'chai'
import { countAuthorities, readKeyPair } from '../../src/lib/x509.ts'
import { type KeyPair, makeCertificate } from '../fakes/certificates.ts'

const DAY_MS = 24 * 3600 * 1000

describe('a key pair', () => {
  let shop: KeyPair
  let other: KeyPair

  before('make certificates', () => {
    shop = makeCertificate(['shop.example', '*.Shop.example'], { days: 90 })
    other = makeCertificate(['other.example'], { keyType: 'rsa' })
  })

  it('says its names in their one form, its key type and how long it is good', () => {
    const read = readKeyPair(shop.cert, shop.key)
    if (!read.ok) throw new Error(read.error)
    const { names, keyType, notBeforeMs, notAfterMs } = read.value
    expect(names).to.deep.equal(['*.shop.example', 'shop.example'])
    expect(keyType).to.equal('ec')
    expect(Math.round((notAfterMs - notBeforeMs) / DAY_MS)).to.equal(90)
    expect(readKeyPair(other.cert, other.key)).to.have.nested.property('value.keyType', 'rsa')
  })

  it('takes the first certificate of a chain, and text around the blocks', () => {
    const chain = `subject=shop\n${shop.cert}\n${other.cert}`
    expect(readKeyPair(chain, shop.key)).to.have.nested.property('value.names[1]', 'shop.example')
  })

  it('is refused in words that hold nothing of it (R21-13)', () => {
    const broken = shop.cert.replace(/\n[A-Za-z0-9+/]{8}/, '\nAAAAAAAA')
    const cases = [
      { cert: '', key: shop.key, error: 'has no certificate' },
      { cert: 'hello', key: shop.key, error: 'has no certificate' },
      { cert: shop.cert.slice(0, 200), key: shop.key, error: 'has no certificate' },
      { cert: broken, key: shop.key, error: 'has a certificate that cannot be read' },
      { cert: shop.cert, key: '', error: 'has no private key' },
      { cert: shop.cert, key: shop.key.slice(0, 100), error: 'has a private key that cannot be read' },
      { cert: shop.cert, key: other.key, error: 'has a key that does not belong to the certificate' },
      { cert: shop.cert + ' '.repeat(300_000), key: shop.key, error: 'is larger than 256 KiB' },
    ]
    for (const { cert, key, error } of cases) expect(readKeyPair(cert, key)).to.deep.equal({ ok: false, error })
  })

  it('is refused where OpenSSL would not serve with it: a worker would refuse a whole generation', () => {
    const weak = makeCertificate(['weak.example'], { keyType: 'rsa', bits: 1024 })
    const error = 'is refused by OpenSSL, as too weak a key is'
    expect(readKeyPair(weak.cert, weak.key)).to.deep.equal({ ok: false, error })
  })

  it('a bundle of authorities says how many it has, or what is wrong', () => {
    expect(countAuthorities(`${shop.cert}${other.cert}`)).to.deep.equal({ ok: true, value: 2 })
    expect(countAuthorities('nothing')).to.deep.equal({ ok: false, error: 'has no certificate' })
  })
})
