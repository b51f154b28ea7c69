import { expect } from 'chai'
import { areSameCertificates, certificateRecords } from '../../src/compiler/certificate-records.ts'
import { compile } from '../../src/compiler/compile.ts'
import { emptyMemo } from '../../src/compiler/memo.ts'
import type { CompileResult } from '../../src/compiler/result.ts'
import type { Certificate } from '../../src/model/certificate-table.ts'
import { badSecret, certificate, goodSecret } from '../builders/certificates.ts'
import { ingress } from '../builders/ingress.ts'
import { SETTINGS } from '../builders/snapshot.ts'
import { told } from './ask.ts'
import { clusterOf, compileCluster } from './cluster.ts'

const shop = certificate('shop', { names: ['shop.example'] })
const rsa = certificate('rsa', { names: ['shop.example'], keyType: 'rsa' })
const other = certificate('other', { names: ['shop.example'] })
const spare = certificate('default', { names: ['default.example'] })

/** Server name to the certificates that it gets, by what they hold. */
function served({ tables }: Pick<CompileResult, 'tables'>): Readonly<Record<string, readonly string[]>> {
  const { certificates, serverNames } = tables.routes.certificates ?? {
    certificates: new Map(),
    serverNames: new Map(),
  }
  const contentOf = (handle: string): string => certificates.get(handle)?.chain.replace('chain of ', '') ?? 'missing'
  return Object.fromEntries([...serverNames].map(([host, name]) => [host, name.certificates.map(contentOf)]))
}

describe('which certificate a name gets', () => {
  const tlsSecrets = { 'shop/tls': goodSecret(shop), 'shop/rsa': goodSecret(rsa), 'shop/other': goodSecret(other) }

  it('R21-11: an entry without hosts covers the names of its certificate, as it has them now', () => {
    const ingresses = [ingress('shop/web').tls('tls')]
    const before = compile(clusterOf({ ingresses, tlsSecrets }), SETTINGS, emptyMemo())
    expect(served(before)).to.deep.equal({ 'shop.example': ['shop'] })
    const renamed = { 'shop/tls': goodSecret(certificate('new', { names: ['new.example'] })) }
    const after = compile(clusterOf({ ingresses, tlsSecrets: renamed }), SETTINGS, before.memo)
    expect(served(after)).to.deep.equal({ 'new.example': ['new'] })
  })

  it('R21-11: an entry without hosts whose certificate names none is skipped, and that is told', () => {
    const nameless = goodSecret(certificate('nameless', { names: [] }))
    const ingresses = [ingress('shop/web').tls('tls').tls('tls', 'a.example')]
    const result = compileCluster({ ingresses, tlsSecrets: { 'shop/tls': nameless } })
    expect(served(result)).to.deep.equal({ 'a.example': ['nameless'] })
    expect(told(result.warnings)).to.deep.equal(['InvalidTLSEntry Ingress shop/web spec.tls[0]'])
  })

  it('R21-11: an entry without a Secret gets the default, and follows it', () => {
    const settings = { ...SETTINGS, defaultTlsSecret: 'system/default' }
    const ingresses = [ingress('shop/web').tls(undefined, 'shop.example')]
    const without = compile(clusterOf({ ingresses }), settings, emptyMemo())
    expect(served(without)).to.deep.equal({ 'shop.example': [] })
    expect([...without.wanted.tlsSecrets]).to.deep.equal(['system/default'])
    const contents = { ingresses, tlsSecrets: { 'system/default': goodSecret(spare) } }
    const after = compile(clusterOf(contents), settings, without.memo)
    expect(served(after)).to.deep.equal({ '': ['default'], 'shop.example': ['default'] })
  })

  it('R21-9: a certificate of its own is the default only where no Secret is', () => {
    const own = certificate('own')
    const settings = { defaultTlsSecret: 'system/default', selfSigned: own }
    expect(served(compileCluster({}, settings))).to.deep.equal({ '': ['own'] })
    const held = { 'system/default': goodSecret(spare) }
    expect(served(compileCluster({ tlsSecrets: held }, settings))).to.deep.equal({ '': ['default'] })
    const broken = { 'system/default': badSecret('has no tls.key') }
    expect(served(compileCluster({ tlsSecrets: broken }, settings))).to.deep.equal({ '': ['own'] })
  })

  it('R21-12: two keys of one type, or Secrets of two namespaces, are a conflict that the older Ingress wins', () => {
    const older = ingress('shop/older').age(1).tls('tls', 'shop.example')
    const [lost, field] = ['TLSHostConflict Ingress', 'spec.tls[0].hosts']
    const rows: readonly (readonly [string, Certificate, readonly string[], readonly string[]])[] = [
      ['shop', other, ['shop'], [`${lost} shop/newer ${field}`]],
      ['shop', rsa, ['shop', 'rsa'], []],
      ['bank', rsa, ['shop'], [`${lost} bank/newer ${field}`]],
      // The same content is the same certificate.
      ['bank', shop, ['shop'], []],
    ]
    for (const [namespace, held, expected, warnings] of rows) {
      const newer = ingress(`${namespace}/newer`).age(2).tls('new', 'shop.example')
      const secrets = { 'shop/tls': goodSecret(shop), [`${namespace}/new`]: goodSecret(held) }
      const result = compileCluster({ ingresses: [newer, older], tlsSecrets: secrets })
      expect(served(result)['shop.example']).to.deep.equal(expected)
      expect(told(result.warnings)).to.deep.equal(warnings)
    }
  })

  it('R21-12: names the holder', () => {
    const older = ingress('shop/older').age(1).tls('tls', 'shop.example')
    const newer = ingress('bank/newer').age(2).tls('tls', 'shop.example')
    const secrets = { 'shop/tls': goodSecret(shop), 'bank/tls': goodSecret(other) }
    const [warning] = compileCluster({ ingresses: [older, newer], tlsSecrets: secrets }).warnings
    expect(warning?.message).to.contain('"shop.example" is that of Ingress shop/older')
    const twice = ingress('shop/twice').tls('tls', 'shop.example').tls('other', 'shop.example')
    const [own] = compileCluster({ ingresses: [twice], tlsSecrets }).warnings
    expect(own?.field).to.equal('spec.tls[1].hosts')
    expect(own?.message).to.contain('"shop.example" is that of an earlier entry of the same object')
  })

  it('R21-13: nobody gets the name of an older Ingress whose Secret is of no use, but its own namespace', () => {
    const older = ingress('shop/older').age(1).tls('tls', 'shop.example')
    const broken = {
      'shop/tls': badSecret('has no tls.key'),
      'shop/other': goodSecret(other),
      'bank/tls': goodSecret(rsa),
    }
    const foreign = ingress('bank/newer').age(2).tls('tls', 'shop.example')
    const taken = compileCluster({ ingresses: [older, foreign], tlsSecrets: broken })
    expect(served(taken)).to.deep.equal({ 'shop.example': [] })
    expect(told(taken.warnings)).to.deep.equal([
      'TLSHostConflict Ingress bank/newer spec.tls[0].hosts',
      'InvalidCertificate Ingress shop/older spec.tls[0].secretName',
    ])
    const own = ingress('shop/newer').age(2).tls('other', 'shop.example')
    expect(served(compileCluster({ ingresses: [older, own], tlsSecrets: broken }))['shop.example']).to.deep.equal([
      'other',
    ])
  })

  it('R21-13: costs no other name, and no route', () => {
    const web = ingress('shop/web').host('shop.example').path('/', 'web:http').tls('gone', 'shop.example').tls('tls')
    const secrets = {
      'shop/gone': badSecret('does not exist'),
      'shop/tls': goodSecret(certificate('b', { names: ['b.example'] })),
    }
    const result = compileCluster({ ingresses: [web], tlsSecrets: secrets })
    expect(served(result)).to.deep.equal({ 'shop.example': [], 'b.example': ['b'] })
    expect(result.tables.routes.hosts.get('shop.example')?.routes).to.have.length(1)
  })

  it('R21-16: equal content is one certificate, whatever its Secret is called', () => {
    const ingresses = [ingress('shop/a').tls('tls', 'a.example'), ingress('bank/b').tls('copy', 'b.example')]
    const secrets = {
      'shop/tls': goodSecret(shop),
      'bank/copy': goodSecret(certificate('shop', { names: ['shop.example'] })),
    }
    const { tables, warnings } = compileCluster({ ingresses, tlsSecrets: secrets })
    expect([...(tables.routes.certificates?.certificates.keys() ?? [])]).to.deep.equal([shop.handle])
    expect(warnings).to.deep.equal([])
  })

  it('R30-2: wants every Secret that an entry names, and lets go of it', () => {
    const before = compile(
      clusterOf({ ingresses: [ingress('shop/web').tls('tls').tls('rsa', 'a.example')] }),
      SETTINGS,
      emptyMemo(),
    )
    expect([...before.wanted.tlsSecrets]).to.have.members(['shop/tls', 'shop/rsa'])
    const after = compile(clusterOf({ ingresses: [ingress('shop/web').tls('rsa')] }), SETTINGS, before.memo)
    expect([...after.wanted.tlsSecrets]).to.deep.equal(['shop/rsa'])
  })

  it('says nothing of a Secret that nobody has looked for yet', () => {
    expect(compileCluster({ ingresses: [ingress('shop/web').tls('tls', 'shop.example')] }).warnings).to.deep.equal([])
  })

  it('R30-5: an edit elsewhere leaves the very same table', () => {
    const contents = { ingresses: [ingress('shop/web').tls('tls', 'shop.example').build()], tlsSecrets }
    const before = compile(clusterOf(contents), SETTINGS, emptyMemo())
    const edited = { ...contents, ingresses: [...contents.ingresses, ingress('shop/new').host('new.example').build()] }
    const after = compile(clusterOf(edited), SETTINGS, before.memo)
    expect(after.tables.routes.certificates).to.equal(before.tables.routes.certificates)
  })
})

describe('the records of certificates', () => {
  it('name each Secret once, with what serves by it and who names it, and hold no key', () => {
    const ingresses = [
      ingress('shop/a').tls('tls', 'a.example').tls('bad'),
      ingress('shop/b').tls(undefined, 'b.example').tls('tls'),
    ]
    const tlsSecrets = {
      'shop/tls': goodSecret(shop),
      'shop/bad': badSecret('has no tls.key', other),
      'system/default': badSecret('does not exist'),
      'shop/unused': goodSecret(rsa),
    }
    const result = compileCluster({ ingresses, tlsSecrets }, { defaultTlsSecret: 'system/default', selfSigned: spare })
    const records = certificateRecords(result)
    const short = records.map(({ source, namespace, secret, serving, problem, users }) => [
      `${source} ${namespace}/${secret}`,
      serving?.handle,
      problem,
      users.map(({ object, field }) => `${object.name} ${field}`),
    ])
    expect(short).to.deep.equal([
      ['ingress shop/bad', other.handle, 'has no tls.key', ['a spec.tls[1].secretName']],
      ['ingress shop/tls', shop.handle, undefined, ['a spec.tls[0].secretName', 'b spec.tls[1].secretName']],
      ['default system/default', undefined, 'does not exist', []],
      ['default /', spare.handle, undefined, []],
    ])
    expect(JSON.stringify(records)).to.not.contain('key of')
  })

  it('are the same where an edit concerns nothing of TLS', () => {
    const contents = {
      ingresses: [ingress('shop/web').tls('tls').build()],
      tlsSecrets: { 'shop/tls': goodSecret(shop) },
    }
    const before = compile(clusterOf(contents), SETTINGS, emptyMemo())
    const same = compile(clusterOf(contents), SETTINGS, before.memo)
    expect(areSameCertificates(before, same)).to.equal(true)
    const rotated = { ...contents, tlsSecrets: { 'shop/tls': goodSecret(other) } }
    expect(areSameCertificates(before, compile(clusterOf(rotated), SETTINGS, before.memo))).to.equal(false)
  })
})
