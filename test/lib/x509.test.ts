import { createPrivateKey } from 'node:crypto'
import { expect } from 'chai'
import { asciiBytes, inContext, sequence } from '../../src/lib/der.ts'
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

  it('has the key types that serve beside each other: of all elliptic curves one', () => {
    for (const [options, keyType] of [
      [{ curve: 'P-384' }, 'ec'],
      [{ curve: 'P-521' }, 'ec'],
      [{ keyType: 'ed25519' }, 'other'],
    ] as const) {
      const { cert, key } = makeCertificate(['shop.example'], options)
      expect(readKeyPair(cert, key)).to.have.nested.property('value.keyType', keyType)
    }
  })

  it('has a key in any form without a passphrase, and is told of one', () => {
    const key = createPrivateKey(shop.key)
    const sec1 = key.export({ type: 'sec1', format: 'pem' })
    // As `openssl ecparam -genkey` writes it.
    const withCurve = `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${sec1}`
    for (const good of [sec1, withCurve]) expect(readKeyPair(shop.cert, good).ok).to.equal(true)
    const locked = { format: 'pem', cipher: 'aes-256-cbc', passphrase: 'secret' } as const
    for (const type of ['sec1', 'pkcs8'] as const) {
      const error = 'has a private key that needs a passphrase'
      expect(readKeyPair(shop.cert, key.export({ type, ...locked }))).to.deep.equal({ ok: false, error })
    }
  })

  it('R21-29: has no name that stands only in the text of another', () => {
    const name = sequence(inContext(2, asciiBytes('x.example, DNS:bank.example'), true))
    const { cert, key } = makeCertificate([], {
      extensions: [`subjectAltName=DER:${Buffer.from(name).toString('hex')}`],
    })
    expect(readKeyPair(cert, key)).to.have.nested.property('value.names').that.deep.equals([])
  })

  it('R21-11: has all of 300 names, and of more as many as a moment allows: each is looked for among all', () => {
    for (const [count, least, most] of [
      [300, 300, 300],
      [3000, 20, 100],
    ] as const) {
      const { cert, key } = makeCertificate(
        Array.from({ length: count }, (_none, index) => `host-${index}.shop.example`),
      )
      const read = readKeyPair(cert, key)
      expect(read.ok && read.value.names.length).to.be.within(least, most)
    }
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
