// Which certificate a handshake gets, by the name that its client sends (R21-5, R21-8).
import { expect } from 'chai'
import { DEFAULT_SERVER_NAME } from '../../../src/model/certificate-table.ts'
import { helloOf, namedHello } from '../../builders/client-hello.ts'
import { type NameSpec, pairFor } from '../../builders/secure-names.ts'
import { type KeyPair, makeCertificate } from '../../fakes/certificates.ts'
import { eventually } from '../../fakes/clock.ts'
import { TlsBench } from './tls-bench.ts'

const NAMES: Readonly<Record<string, NameSpec>> = {
  'shop.example': { pairs: [pairFor('shop.example')] },
  '*.shop.example': { pairs: [pairFor('wild.shop.example')] },
}
const WITH_DEFAULT = { ...NAMES, [DEFAULT_SERVER_NAME]: { pairs: [pairFor('default.example')] } }

const REFUSAL = 'ERR_SSL_TLSV1_UNRECOGNIZED_NAME'
const ALERT = '\x15\x03\x03\0\x02\x02\x70'
const SERVER_HELLO = '\x16\x03\x03'

/** What no host can be, and yet may stand in the extension. */
const STRANGE: readonly (readonly [title: string, name: string])[] = [
  ['NUL', 'shop.example\0'],
  ['NUL within', 'shop\0.example'],
  ['an address', '192.0.2.1'],
  ['an address of IPv6', '2001:db8::1'],
  ['255 octets', `${'a'.repeat(63)}.`.repeat(4).slice(0, 255)],
  ['300 characters', `${'a.'.repeat(144)}shop.example`],
  ['no characters', ''],
  ['two dots at the end', 'shop.example..'],
  ['a wildcard', '*.shop.example'],
  ['bytes above 0x7f', 'sh\xf6p.example'],
]

describe('the certificate of a handshake (R21-8)', () => {
  let bench: TlsBench

  afterEach(() => bench.stop())

  for (const [asked, want] of [
    ['shop.example', 'shop.example'],
    ['a.shop.example', 'wild.shop.example'],
    ['a.b.shop.example', 'default.example'],
    ['other.example', 'default.example'],
    ['constructor', 'default.example'],
    ['', 'default.example'],
  ] as const) {
    it(`for ${asked || 'no name'} is that of ${want}`, async () => {
      bench = await TlsBench.start({ names: WITH_DEFAULT })
      expect(await bench.nameFor(asked === '' ? {} : { servername: asked })).to.equal(want)
      await eventually(() => bench.counters.process('tlsHandshakes') === 1)
    })
  }

  for (const asked of ['SHOP.EXAMPLE', 'Shop.Example', 'shop.example.', 'SHOP.example.']) {
    it(`71 #230: for ${asked} is that of the host in its one form`, async () => {
      bench = await TlsBench.start({ names: WITH_DEFAULT })
      expect(await bench.nameFor({ servername: asked })).to.equal('shop.example')
    })
  }

  for (const [title, name] of STRANGE) {
    it(`71 #231: a name with ${title} gets the default, or the alert where there is none, and nothing throws`, async () => {
      bench = await TlsBench.start({ names: WITH_DEFAULT })
      const client = await bench.raw()
      client.write(namedHello(await helloOf({}), name))
      await client.untilLength(ALERT.length)
      expect(client.text.startsWith(SERVER_HELLO) || client.text === ALERT).to.equal(true)
      expect(bench.counters.process('tlsCallback')).to.equal(0)

      bench.assign(NAMES)
      const refused = await bench.raw()
      refused.write(namedHello(await helloOf({}), name))
      expect(await refused.untilEnd()).to.equal(ALERT)
      expect(bench.counters.process('tlsNoCertificate')).to.equal(1)
      expect(await bench.nameFor({ servername: 'shop.example' })).to.equal('shop.example')
    })
  }

  for (const asked of [{ servername: 'other.example' }, {}]) {
    it(`is refused by unrecognized_name for ${asked.servername ?? 'no name'} where there is no default (R21-9)`, async () => {
      bench = await TlsBench.start({ names: NAMES })
      expect(await bench.nameFor(asked)).to.equal(REFUSAL)
      expect(bench.counters.process('tlsNoCertificate')).to.equal(1)
      expect(bench.counters.process('tlsHandshakes')).to.equal(0)
    })
  }

  it('is refused for a name of the table that has no certificate', async () => {
    bench = await TlsBench.start({ names: { ...WITH_DEFAULT, 'bare.example': {} } })
    expect(await bench.nameFor({ servername: 'bare.example' })).to.equal(REFUSAL)
  })

  it("is the one of the client's key type where there are two (R21-12)", async () => {
    const both = [pairFor('rsa.example', 'rsa'), pairFor('ec.example')]
    bench = await TlsBench.start({ names: { 'shop.example': { pairs: both }, [DEFAULT_SERVER_NAME]: { pairs: both } } })
    for (const name of [{ servername: 'shop.example' }, {}]) {
      const old = { ...name, maxVersion: 'TLSv1.2' } as const
      expect(await bench.nameFor({ ...old, ciphers: 'ECDHE-RSA-AES128-GCM-SHA256' })).to.equal('rsa.example')
      expect(await bench.nameFor({ ...old, ciphers: 'ECDHE-ECDSA-AES128-GCM-SHA256' })).to.equal('ec.example')
      expect(await bench.nameFor({ ...name, sigalgs: 'rsa_pss_rsae_sha256' })).to.equal('rsa.example')
      expect(await bench.nameFor({ ...name, sigalgs: 'ecdsa_secp256r1_sha256' })).to.equal('ec.example')
    }
  })

  it('comes with the chain of its own, by its name and by none', async () => {
    const [ec, rsa] = [chainedTo('ec'), chainedTo('rsa')]
    const trusting = { ca: [ec.root, rsa.root], rejectUnauthorized: true, checkServerIdentity: () => undefined }
    bench = await TlsBench.start({ names: shopWith([ec]) })
    for (const name of [{ servername: 'shop.example' }, {}]) {
      bench.assign(shopWith([ec]))
      expect(await bench.nameFor({ ...trusting, ...name })).to.equal('ec.example')
      bench.assign(shopWith([rsa, ec]))
      const of = (sigalgs: string): Promise<string> => bench.nameFor({ ...trusting, ...name, sigalgs })
      expect(await of('ecdsa_secp256r1_sha256')).to.equal('ec.example')
      expect(await of('rsa_pss_rsae_sha256')).to.equal('rsa.example')
    }
  })

  for (const options of [{ curve: 'P-384' }, { curve: 'P-521' }, { keyType: 'ed25519' }] as const) {
    it(`may have a key of another kind: ${Object.values(options).join()}`, async () => {
      bench = await TlsBench.start({
        names: { 'shop.example': { pairs: [makeCertificate(['kind.example'], options)] } },
      })
      expect(await bench.nameFor({ servername: 'shop.example' })).to.equal('kind.example')
    })
  }

  it('is refused for a host that demands client certificates, which nobody asks for yet (R21-28)', async () => {
    const client = { authorities: pairFor('ca.example').cert, mode: 'on', maxDepth: 1 } as const
    const guarded = { pairs: [pairFor('shop.example')], policy: { client } }
    bench = await TlsBench.start({ names: { ...WITH_DEFAULT, 'guarded.example': guarded } })
    expect(await bench.nameFor({ servername: 'guarded.example' })).to.equal(REFUSAL)
  })

  it('is the new one from the assignment on, with and without a name', async () => {
    bench = await TlsBench.start({ names: WITH_DEFAULT })
    expect(await bench.nameFor({})).to.equal('default.example')
    bench.assign({
      'shop.example': { pairs: [pairFor('new.shop.example')] },
      [DEFAULT_SERVER_NAME]: { pairs: [pairFor('new.default.example')] },
    })
    expect(await bench.nameFor({ servername: 'shop.example' })).to.equal('new.shop.example')
    expect(await bench.nameFor({})).to.equal('new.default.example')
    expect(await bench.nameFor({ servername: 'other.example' })).to.equal('new.default.example')
  })
})

/** A certificate with one between it and `root`. */
function chainedTo(keyType: 'ec' | 'rsa'): KeyPair & { readonly root: string } {
  const root = makeCertificate([`root.${keyType}.example`], { keyType, isAuthority: true })
  const between = makeCertificate([`between.${keyType}.example`], { keyType, isAuthority: true, issuer: root })
  const { cert, key } = makeCertificate([`${keyType}.example`], { keyType, issuer: between })
  return { cert: cert + between.cert, key, root: root.cert }
}

/** A host, and the default, with these. */
function shopWith(pairs: readonly KeyPair[]): Readonly<Record<string, NameSpec>> {
  return { 'shop.example': { pairs }, [DEFAULT_SERVER_NAME]: { pairs } }
}
